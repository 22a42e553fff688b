import { pageLocale } from './words.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** How the page writes dates; the same options give the same format, which is costly to make. */
export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = JSON.stringify(options)
  const known = formats.get(name)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat(pageLocale(), options)
  formats.set(name, format)
  return format
}
