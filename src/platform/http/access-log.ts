/** Which finished requests write a log line: ACCESS_LOG. */
export type AccessLog =
  | { readonly mode: 'all' | 'errors' | 'off' }
  /** @param share of all requests, from 0 to 1 */
  | { readonly mode: 'sample'; readonly share: number }

/** @returns undefined for any other text */
export function parseAccessLog(text: string): AccessLog | undefined {
  if (text === 'all' || text === 'errors' || text === 'off') return { mode: text }
  const [, digits] = /^sample:(0?\.\d{1,6}|[01])$/.exec(text) ?? []
  return digits === undefined ? undefined : { mode: 'sample', share: Number(digits) }
}

/**
 * Whether a request with this status is written. Each error is a 4xx or 5xx, or
 * a request without an answer (status 0). A sample also has each 5xx.
 */
export function isWritten(accessLog: AccessLog, status: number): boolean {
  switch (accessLog.mode) {
    case 'all':
      return true
    case 'errors':
      return status >= 400 || status === 0
    case 'sample':
      return status >= 500 || Math.random() < accessLog.share
    case 'off':
      return false
  }
}
