import { Text } from '@mantine/core'
import { dateFormat } from '../formats.ts'
import { isThisYear } from './time.tsx'

/**
 * The day of an instant in the reader's own time zone, `22 Nov`, with another
 * year than this one's; the exact time on hover.
 * @param at ISO 8601
 */
export function ShortTime({ at }: { readonly at: string }) {
  const day = dateFormat(
    isThisYear(at) ? { day: 'numeric', month: 'short' } : { dateStyle: 'medium' },
  )
  const exact = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' })
  return (
    <bdi>
      <Text component="time" inherit dateTime={at} title={exact.format(new Date(at))}>
        {day.format(new Date(at))}
      </Text>
    </bdi>
  )
}
