import { dateFormat } from '../formats.ts'

/** A day of a lifecycle, `31 Oct 2027`. @param date `YYYY-MM-DD`, of UTC */
export function Day({ date }: { readonly date: string }) {
  const format = dateFormat({ dateStyle: 'medium', timeZone: 'UTC' })
  return (
    <bdi>
      <time dateTime={date}>{format.format(new Date(`${date}T00:00:00Z`))}</time>
    </bdi>
  )
}
