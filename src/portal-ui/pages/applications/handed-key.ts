import type { IssuedKey } from '../../../gateway/portal/schemas/applications.ts'

/** A new key on its way to the page that shows it. */
export interface HandedKey {
  readonly applicationId: string
  readonly key: IssuedKey
}

let handed: HandedKey | undefined
let keyToReadWith: string | undefined

/** Hands a key that was just made to the page of its application. */
export function handOverKey(given: HandedKey): void {
  handed = given
}

/** The key that was handed over for this application; only once. */
export function takeHandedKey(applicationId: string): IssuedKey | undefined {
  if (handed?.applicationId !== applicationId) return undefined
  const { key } = handed
  handed = undefined
  return key
}

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
