import type { AvailabilityIndicators } from '../../../portal/api/schemas/availability.ts'
import { pageLocale } from '../../words.ts'

/** Whether a version had a call or downtime: without either, its uptime says nothing. */
export function hasFigures({ requests, downtimeSeconds }: AvailabilityIndicators): boolean {
  return requests + downtimeSeconds > 0
}

/** With as many digits as 0.1 s of a quarter needs. */
export function percentage(value: number): string {
  const format = { style: 'percent', maximumFractionDigits: 5 } as const
  return (value / 100).toLocaleString(pageLocale(), format)
}
