import type { CallRecord } from '../../../gateway/portal/schemas/usage.ts'

const admissions: ReadonlySet<string | null> = new Set([
  'admitted',
  'degraded_admitted',
  'observed',
])

/** Whether the gateway let the call through; the bank service may still have failed. */
export function isAdmitted({ decision }: CallRecord): boolean {
  return admissions.has(decision)
}

/** The gateway's error code; undefined if the bank service answered or the connection ended first. */
export function errorCode({ outcome }: CallRecord): string | undefined {
  return outcome === 'forwarded' || outcome === 'aborted' ? undefined : outcome
}

/** The outcome of a call in one or two words. */
export function outcomeWord(record: CallRecord): string {
  if (record.outcome === 'aborted') return 'Connection lost'
  if (!isAdmitted(record)) return 'Refused'
  return record.status >= 500 ? 'Failed' : 'Forwarded'
}

/** The colour for {@link outcomeWord}. */
export function outcomeColor(record: CallRecord): string {
  if (record.outcome === 'aborted') return 'gray'
  if (!isAdmitted(record)) return 'amber'
  if (record.status >= 500) return 'red'
  return record.status >= 400 ? 'gray' : 'green'
}

/** A status in words; 0 means that the connection ended first. */
export function statusWord(status: number): string {
  return status === 0 ? 'no response' : String(status)
}
