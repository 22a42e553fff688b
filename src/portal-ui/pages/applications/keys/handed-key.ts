import type { IssuedKey } from '../../../../portal/api/schemas/applications.ts'

interface HandedKey {
  readonly applicationId: string
  readonly issued: IssuedKey
}

let handed: HandedKey | undefined
interface HandedProblem {
  readonly applicationId: string
  readonly problem: Error
}

let handedProblem: HandedProblem | undefined
let keyToReadWith: string | undefined

/** Hands a key to the page of its application, which opens next. Nothing stores it. */
export function handKey(key: HandedKey): void {
  handed = key
}

/** The key that was handed to an application's page; only once. */
export function takeHandedKey(applicationId: string): IssuedKey | undefined {
  const key = handed?.applicationId === applicationId ? handed.issued : undefined
  handed = undefined
  return key
}

/** Hands on what failed while an application was made, to its page, which opens next. */
export function handProblem(problem: HandedProblem): void {
  handedProblem = problem
}

/** What failed while this application was made; only once. */
export function takeHandedProblem(applicationId: string): Error | undefined {
  const problem = handedProblem?.applicationId === applicationId ? handedProblem.problem : undefined
  handedProblem = undefined
  return problem
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
