import type { CallRecord } from '../../../gateway/portal/schemas/usage.ts'

const admissions: ReadonlySet<string | null> = new Set([
  'admitted',
  'degraded_admitted',
  'observed',
])

/** Whether the call was let through, whatever came of it. */
export function isAdmitted({ decision }: CallRecord): boolean {
  return admissions.has(decision)
}

/** The code of the error table the call was answered with; undefined when the bank service answered it, or nobody. */
export function errorCode({ outcome }: CallRecord): string | undefined {
  return outcome === 'forwarded' || outcome === 'aborted' ? undefined : outcome
}

/** What became of a call, in one or two words. */
export function outcomeWord(record: CallRecord): string {
  if (record.outcome === 'aborted') return 'Broken off'
  if (!isAdmitted(record)) return 'Refused'
  return record.status >= 500 ? 'Failed' : 'Admitted'
}

/** The colour that goes with {@link outcomeWord}. */
export function outcomeColor(record: CallRecord): string {
  if (record.outcome === 'aborted') return 'gray'
  if (!isAdmitted(record)) return 'amber'
  return record.status >= 500 ? 'red' : 'green'
}

/** A status as a reader meets it; 0 means that the connection ended first. */
export function statusWord(status: number): string {
  return status === 0 ? 'no answer' : String(status)
}
