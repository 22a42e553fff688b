import type { Amount } from '../domain/money.ts'

const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** A day as people read it: "31 May 2027". @param date `YYYY-MM-DD` */
export function dayForPeople(date: string): string {
  return day.format(new Date(`${date}T00:00:00Z`))
}

/** An instant on the bank's clock: "31 May 2027 at 14:30". @param at ISO 8601 */
export function timeForPeople(at: string, timeZone: string): string {
  const date = new Date(at)
  const options = { dateStyle: 'long', timeZone } as const
  const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone })
  return `${new Intl.DateTimeFormat('en-GB', options).format(date)} at ${time.format(date)}`
}

/** An amount with its thousands apart: "12,480.30 ILS". */
export function moneyForPeople({ amount, currency }: Amount): string {
  const [whole = '', fraction] = amount.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${grouped}${fraction === undefined ? '' : `.${fraction}`} ${currency}`
}

/** An IBAN in groups of four: "IL03 0205 7100 0000 0200 285". */
export function ibanForPeople(iban: string): string {
  return iban.replace(/(.{4})(?=.)/g, '$1 ')
}
