import { pageLanguage } from '../page-language.ts'

const format = new Intl.DateTimeFormat(pageLanguage, { dateStyle: 'medium', timeZone: 'UTC' })

/** A day of a lifecycle, `31 Oct 2027`. @param date `YYYY-MM-DD`, of UTC */
export function Day({ date }: { readonly date: string }) {
  return (
    <bdi>
      <time dateTime={date}>{format.format(new Date(`${date}T00:00:00Z`))}</time>
    </bdi>
  )
}
