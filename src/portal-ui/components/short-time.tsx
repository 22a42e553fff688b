import { Text } from '@mantine/core'
import { dateFormat } from '../formats.ts'

/** The day of an instant in the reader's own time zone, `22 Nov 2026`; the exact time on hover. @param at ISO 8601 */
export function ShortTime({ at }: { readonly at: string }) {
  const exact = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' })
  return (
    <bdi>
      <Text component="time" inherit dateTime={at} title={exact.format(new Date(at))}>
        {dateFormat({ dateStyle: 'medium' }).format(new Date(at))}
      </Text>
    </bdi>
  )
}
