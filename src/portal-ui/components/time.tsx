import { Text } from '@mantine/core'
import { dateFormat } from '../formats.ts'

export interface TimeProps {
  /** ISO 8601. */
  readonly at: string
  /** With seconds. */
  readonly isPrecise?: boolean
}

/** An instant in the reader's own time zone, `22 Nov 2026, 16:44`; UTC on hover. */
export function Time({ at, isPrecise = false }: TimeProps) {
  const format = dateFormat({ dateStyle: 'medium', timeStyle: isPrecise ? 'medium' : 'short' })
  return (
    <bdi>
      <Text
        component="time"
        inherit
        dateTime={at}
        title={at.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')}
      >
        {format.format(new Date(at))}
      </Text>
    </bdi>
  )
}
