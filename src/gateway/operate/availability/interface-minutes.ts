/**
 * Figures of one API version, kind of service and minute. Names and types match
 * the statement in `availability-writer.ts`.
 */
export interface InterfaceMinute {
  readonly api: string
  readonly version: string
  /** {@link psd2ServiceOf}. */
  readonly service: string
  /** Minutes since 1970. */
  readonly minute: number
  requests: number
  /** Errors for which the bank is responsible. */
  errors: number
  /** Requests that were answered, from which the times come. */
  answers: number
  first_byte_ms_sum: number
  last_byte_ms_sum: number
}

/** A minute before its first request. */
export function newMinute(
  names: Pick<InterfaceMinute, 'api' | 'version' | 'service'>,
  minute: number,
): InterfaceMinute {
  return {
    ...names,
    minute,
    requests: 0,
    errors: 0,
    answers: 0,
    first_byte_ms_sum: 0,
    last_byte_ms_sum: 0,
  }
}

/** Adds an answer's times. */
export function addAnswer(row: InterfaceMinute, firstByteMs: number, lastByteMs: number): void {
  row.answers += 1
  row.first_byte_ms_sum += firstByteMs
  row.last_byte_ms_sum += lastByteMs
}

/** Adds one row's figures to another's. */
export function addMinute(row: InterfaceMinute, more: InterfaceMinute): void {
  row.requests += more.requests
  row.errors += more.errors
  row.answers += more.answers
  row.first_byte_ms_sum += more.first_byte_ms_sum
  row.last_byte_ms_sum += more.last_byte_ms_sum
}
