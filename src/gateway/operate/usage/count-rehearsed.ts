import type { EntitledCall } from '../../edge/call.ts'
import type { UsageBuffer } from './usage-buffer.ts'

/** What rehearsed limits would have decided about a call. */
export interface RehearsedCall {
  readonly call: Pick<EntitledCall, 'caller' | 'operation'>
  readonly isAdmitted: boolean
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Counts a rehearsed call into the minute in which it was decided. The call itself is counted, or missed, where it ends. */
export function countRehearsed(usage: UsageBuffer, { call, isAdmitted, at }: RehearsedCall): void {
  const row = usage.find({
    applicationId: call.caller.applicationId,
    subject: call.operation,
    minute: Math.floor(at / 60_000),
  })
  if (row === undefined) return
  row.rehearsed += 1
  if (!isAdmitted) row.rehearsedRefused += 1
}
