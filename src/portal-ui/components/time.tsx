import { Text } from '@mantine/core'
import { dateFormat } from '../formats.ts'

export interface TimeProps {
  /** ISO 8601, in UTC: `2026-11-22T14:44:07Z`. */
  readonly at: string
  /** Includes seconds. */
  readonly isPrecise?: boolean
  /** Omits the current year, for tables. */
  readonly isShort?: boolean
  /** Shows only the time of day for today; otherwise like `isShort`. */
  readonly isBrief?: boolean
}

/** An instant in the reader's own time zone, `22 Nov 2026, 16:44`; UTC on hover. */
export function Time({ at, isPrecise = false, isShort = false, isBrief = false }: TimeProps) {
  const format =
    isBrief && new Date(at).toDateString() === new Date().toDateString()
      ? dateFormat({ hour: '2-digit', minute: '2-digit' })
      : (isShort || isBrief) && isThisYear(at)
        ? dateFormat({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
        : dateFormat({ dateStyle: 'medium', timeStyle: isPrecise ? 'medium' : 'short' })
  return (
    <bdi>
      <Text component="time" inherit dateTime={at} title={utcTime(at)}>
        {format.format(new Date(at))}
      </Text>
    </bdi>
  )
}

/** `22 Nov 2026, 16:44:07`, in the reader's own time zone. @param at ISO 8601, in UTC */
export function exactTime(at: string): string {
  return dateFormat({ dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at))
}

/** Whether an instant is in the current year of the reader's own time zone. @param at ISO 8601, in UTC */
export function isThisYear(at: string): boolean {
  return new Date(at).getFullYear() === new Date().getFullYear()
}

function utcTime(at: string): string {
  return at.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')
}
