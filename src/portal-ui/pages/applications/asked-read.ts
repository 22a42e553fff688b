let keyToReadWith: string | undefined

/** Asks the panel of a new key to read accounts without another click. */
export function askToRead(keyId: string): void {
  keyToReadWith = keyId
}

/** Whether accounts are to be read with this key at once; only once. */
export function takeAskedRead(keyId: string): boolean {
  const isAsked = keyToReadWith === keyId
  if (isAsked) keyToReadWith = undefined
  return isAsked
}
