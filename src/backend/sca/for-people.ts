import type { Words } from '../../messages/format.ts'
import { type Language, languageFacts } from '../../messages/language.ts'
import type { Amount } from '../domain/money.ts'

/** A day as people read it: "31 May 2027". @param date `YYYY-MM-DD` */
export function dayForPeople(date: string, language: Language): string {
  const { locale } = languageFacts[language]
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  return format.format(new Date(`${date}T00:00:00Z`))
}

/** An instant on the bank's clock: "31 May 2027 at 14:30". @param at ISO 8601 */
export function timeForPeople(at: string, timeZone: string, language: Language): string {
  const { locale } = languageFacts[language]
  const options = { dateStyle: 'long', timeStyle: 'short', timeZone } as const
  return new Intl.DateTimeFormat(locale, options).format(new Date(at))
}

/** The message to a customer who is blocked. @param until milliseconds since 1970 */
export function blockedForPeople(until: number, timeZone: string, { t, language }: Words): string {
  const time = timeForPeople(new Date(until).toISOString(), timeZone, language)
  return t('bank.blocked', { time })
}

/** An amount with grouped thousands and the sign of its currency: "₪12,480.30". */
export function moneyForPeople({ amount, currency }: Amount, language: Language): string {
  const { locale } = languageFacts[language]
  const [, fraction = ''] = amount.split('.')
  const digits = fraction.length
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  // A decimal text keeps every digit; a number would not.
  return format.format(amount as Intl.StringNumericLiteral)
}

/** An IBAN in groups of four: "IL03 0205 7100 0000 0200 285". */
export function ibanForPeople(iban: string): string {
  return iban.replace(/(.{4})(?=.)/g, '$1 ')
}
