import { addDays } from './bank-time.ts'

/** The calendar of working days: of the banks of Israel, or of TARGET, which settles euros. */
export type Market = 'IL' | 'EUR'

/** Days of the Jewish calendar on which the banks of Israel are closed, as `day month`. */
const feasts = new Set([
  '1 Tishri',
  '2 Tishri',
  '10 Tishri',
  '15 Tishri',
  '22 Tishri',
  '15 Nisan',
  '21 Nisan',
  '6 Sivan',
])

/** The possible days of Independence Day, which moves away from a Sabbath, as `weekday day month`. */
const independence = new Set(['Tue 6 Iyar', 'Wed 5 Iyar', 'Thu 4 Iyar', 'Thu 3 Iyar'])

/** Closing days of TARGET with a fixed date, as `MM-DD`; Good Friday and Easter Monday move. */
const closings = new Set(['01-01', '05-01', '12-25', '12-26'])

const hebrew = new Intl.DateTimeFormat('en-u-ca-hebrew', {
  timeZone: 'UTC',
  weekday: 'short',
  day: 'numeric',
  month: 'long',
})

/**
 * Whether banks of the market work on a day (`YYYY-MM-DD`). Israel: Sunday to
 * Thursday except feasts; TARGET: Monday to Friday except its six closing days.
 * Ignores half days and elections (our choice).
 */
export function isBankingDay(day: string, market: Market): boolean {
  const weekday = new Date(day).getUTCDay()
  return market === 'IL'
    ? weekday <= 4 && !isFeast(day)
    : weekday >= 1 && weekday <= 5 && !isClosing(day)
}

/** The day itself if it is a banking day, else the next banking day. */
export function bankingDayFrom(day: string, market: Market): string {
  let found = day
  while (!isBankingDay(found, market)) found = addDays(found, 1)
  return found
}

function isFeast(day: string): boolean {
  const parts = new Map(
    hebrew.formatToParts(Date.parse(day)).map(({ type, value }) => [type, value]),
  )
  const date = `${parts.get('day')} ${parts.get('month')}`
  return feasts.has(date) || independence.has(`${parts.get('weekday')} ${date}`)
}

function isClosing(day: string): boolean {
  const easter = easterSunday(Number(day.slice(0, 4)))
  return closings.has(day.slice(5)) || day === addDays(easter, -2) || day === addDays(easter, 1)
}

/** Easter Sunday of the Gregorian calendar (the algorithm of Meeus, Jones and Butcher). */
function easterSunday(year: number): string {
  const a = year % 19
  const century = Math.floor(year / 100)
  const e = century % 4
  const g = Math.floor((8 * century + 13) / 25)
  const h = (19 * a + century - Math.floor(century / 4) - g + 15) % 30
  const i = Math.floor((year % 100) / 4)
  const k = year % 4
  const l = (32 + 2 * e + 2 * i - h - k) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const number = h + l - 7 * m + 114
  const date = new Date(Date.UTC(year, Math.floor(number / 31) - 1, (number % 31) + 1))
  return date.toISOString().slice(0, 10)
}
