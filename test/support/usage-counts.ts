import { UsageCounts, type UsageRow } from '../../src/gateway/operate/usage/usage-buffer.ts'

type CountName = Exclude<
  {
    [Name in keyof UsageCounts]: UsageCounts[Name] extends number ? Name : never
  }[keyof UsageCounts],
  'minute'
>

export interface UsageCountsOptions extends Partial<Record<CountName, number>> {
  readonly applicationId: string
  readonly minute: number
  readonly version?: string
  readonly operation: string
  /** The bucket of each duration. */
  readonly buckets?: readonly number[]
}

/** Counts of an operation of `xs2a` (default: 1.7.0); what is not given is 0. */
export function usageCounts(options: UsageCountsOptions): UsageRow {
  const { applicationId, version = '1.7.0', operation, buckets = [], ...counts } = options
  const names = { api: 'xs2a', version, operation }
  const place = Object.assign(new UsageCounts(applicationId, { key: '', names }), counts)
  for (const bucket of buckets) place.lasted(bucket)
  return place.take()
}
