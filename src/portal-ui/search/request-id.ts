/** The id of a call in a text that a person pasted: a UUID by itself, as `urn:uuid:…`, or at the end of an address. */
export function requestIdIn(text: string): string | undefined {
  const uuid = /(?:^|urn:uuid:|\/)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i
  return uuid.exec(text.trim())?.[1]?.toLowerCase()
}
