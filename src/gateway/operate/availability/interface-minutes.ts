import { bucketOf, noDurations } from '../../registry/duration-buckets.ts'

/** Figures of one API version, kind of service and minute. Names and types match the statement in `availability-writer.ts`. */
export interface InterfaceMinute {
  readonly api: string
  readonly version: string
  /** {@link serviceOf}. */
  readonly service: string
  /** Minutes since 1970. */
  readonly minute: number
  requests: number
  /** For which the bank answers. */
  errors: number
  /** Requests that were answered, from which the times come. */
  answers: number
  first_byte_ms_sum: number
  last_byte_ms_sum: number
  readonly first_bytes: number[]
  readonly last_bytes: number[]
}

/** A minute before its first request. */
export function newMinute(
  names: Pick<InterfaceMinute, 'api' | 'version' | 'service'>,
  minute: number,
): InterfaceMinute {
  return {
    ...names,
    minute,
    ...{ requests: 0, errors: 0, answers: 0, first_byte_ms_sum: 0, last_byte_ms_sum: 0 },
    first_bytes: noDurations(),
    last_bytes: noDurations(),
  }
}

/** Adds an answer's times. */
export function addAnswer(row: InterfaceMinute, firstByteMs: number, lastByteMs: number): void {
  row.answers += 1
  row.first_byte_ms_sum += firstByteMs
  row.last_byte_ms_sum += lastByteMs
  const first = bucketOf(firstByteMs)
  row.first_bytes[first] = (row.first_bytes[first] ?? 0) + 1
  const last = bucketOf(lastByteMs)
  row.last_bytes[last] = (row.last_bytes[last] ?? 0) + 1
}

/** Adds one row's figures to another's. */
export function addMinute(row: InterfaceMinute, more: InterfaceMinute): void {
  row.requests += more.requests
  row.errors += more.errors
  row.answers += more.answers
  row.first_byte_ms_sum += more.first_byte_ms_sum
  row.last_byte_ms_sum += more.last_byte_ms_sum
  for (const [at, count] of more.first_bytes.entries()) {
    row.first_bytes[at] = (row.first_bytes[at] ?? 0) + count
    row.last_bytes[at] = (row.last_bytes[at] ?? 0) + (more.last_bytes[at] ?? 0)
  }
}
