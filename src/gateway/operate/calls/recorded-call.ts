/**
 * The outcome of one call, ready to be written. Names and types of the members
 * match the statement in `record-writer.ts`, so the writer copies nothing.
 * Times are milliseconds since 1970; JSON has null for NaN. V8 keeps a member
 * that was always a fraction or NaN in place, and makes an object for each value
 * of any other.
 */
export class RecordedCall {
  application_id = ''
  /** When the call began. */
  at = Number.NaN
  request_id = ''
  trace_id = ''
  drill: string | null = null
  key_id = ''
  method = ''
  api: string | null = null
  version: string | null = null
  operation: string | null = null
  /** As published; null if the operation tells it, or if no version has it. */
  path: string | null = null
  outcome = ''
  detail: string | null = null
  decision: string | null = null
  /** 0 if no response was begun. */
  status = 0
  limit_name: string | null = null
  limit_scope: string | null = null
  limit_calls: number | null = null
  window_seconds: number | null = null
  calendar_window: string | null = null
  remaining: number | null = null
  /** NaN: not known. */
  resets_at = Number.NaN
  total_ms = Number.NaN
  /** NaN: the backend was not asked. */
  upstream_ms = Number.NaN
}
