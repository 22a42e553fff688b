/**
 * The outcome of one call, ready to be written. Names and types of the members
 * match the statement in `record-writer.ts`, so the writer copies nothing.
 * Times are milliseconds since 1970.
 */
export interface RecordedCall {
  readonly application_id: string
  /** When the call began. */
  readonly at: number
  readonly request_id: string
  readonly trace_id: string
  readonly drill: string | null
  readonly key_id: string
  readonly method: string
  readonly api: string | null
  readonly version: string | null
  readonly operation: string | null
  readonly outcome: string
  readonly detail: string | null
  readonly decision: string | null
  /** 0 if no response was begun. */
  readonly status: number
  readonly limit_name: string | null
  readonly limit_scope: string | null
  readonly limit_calls: number | null
  readonly window_seconds: number | null
  readonly calendar_window: string | null
  readonly remaining: number | null
  readonly resets_at: number | null
  readonly total_ms: number
  readonly upstream_ms: number | null
}
