import { readFileSync } from 'node:fs'

/** One call as its caller logged it. */
export interface CallRecord {
  readonly stream: string
  readonly gateway: number
  readonly requestId: string
  /** Monotonic milliseconds. */
  readonly begun: number
  readonly ended: number
  /** 0: no whole answer. */
  readonly status: number
  /** Undefined: the answer did not say. */
  readonly remaining: number | undefined
  /** Seconds. */
  readonly retryAfter: number | undefined
  /** Decided without the store, as the answer said. */
  readonly isAlone: boolean
  readonly code: string
  /** Made after the number of seconds that an earlier answer had named. */
  readonly isAgain: boolean
}

/** One call as the backend saw it. */
export interface LedgerRecord {
  /** Monotonic milliseconds. */
  readonly at: number
  readonly gateway: number
  readonly method: string
  readonly applicationId: string
  /** `xs2a@1.7.0 listAccounts`. */
  readonly operation: string
  readonly requestId: string
}

/** Reads what the callers logged. */
export function readCalls(path: string): CallRecord[] {
  return linesOf(path).map(
    ([stream, gateway, requestId, begun, ended, status, left, retryAfter, alone, code, again]) => ({
      stream: stream ?? '',
      gateway: Number(gateway),
      requestId: requestId ?? '',
      begun: Number(begun),
      ended: Number(ended),
      status: Number(status),
      remaining: left === '' ? undefined : Number(left),
      retryAfter: retryAfter === '' ? undefined : Number(retryAfter),
      isAlone: alone === '1',
      code: code ?? '',
      isAgain: again === '1',
    }),
  )
}

/** Reads what reached the backend since a moment (monotonic milliseconds). */
export function readLedger(path: string, since: number): LedgerRecord[] {
  return linesOf(path)
    .map(([at, gateway, method, applicationId, operation, requestId]) => ({
      at: Number(at),
      gateway: Number(gateway),
      method: method ?? '',
      applicationId: applicationId ?? '',
      operation: operation ?? '',
      requestId: requestId ?? '',
    }))
    .filter(({ at }) => at >= since)
}

function linesOf(path: string): string[][] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
}
