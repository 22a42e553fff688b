import { UsageCounts } from '../../src/gateway/operate/usage/usage-buffer.ts'

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
}

/** Counts of an operation of `xs2a` (default: 1.7.0); what is not given is 0. */
export function usageCounts(options: UsageCountsOptions): UsageCounts {
  const { applicationId, minute, version = '1.7.0', operation, ...counts } = options
  const names = { api: 'xs2a', version, operation }
  return Object.assign(new UsageCounts(applicationId, names, minute), counts)
}
