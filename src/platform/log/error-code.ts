/** The code of an error of the system or of a library, such as `ENOENT`; undefined if it has none. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** For `catch` where the file may be missing: undefined. @throws any other error */
export function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
  return undefined
}
