import type { ShownWindow } from '../../../catalogue/catalogue.ts'

/** As answers say a window: its length, or its calendar period. */
export type { ShownWindow }

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** What follows "calls per": `hour`, `90 minutes`, `day (UTC)`, `calendar month (Europe/Berlin)`. */
export function windowText(window: ShownWindow): string {
  const text = calendarText(window) ?? lengthText(window).replace(/^1 /, '')
  // Without a time zone, a day begins at midnight UTC.
  return text === 'day' ? 'day (UTC)' : text
}

/** What follows "the": `hour`, `window of 90 minutes` where no one word names it, `calendar month (Europe/Berlin)`. */
export function windowNoun(window: ShownWindow): string {
  const text = windowText(window)
  return /^\d/.test(text) ? `window of ${text}` : text
}

function calendarText({ calendarWindow }: ShownWindow): string | undefined {
  if (calendarWindow === null) return undefined
  return `calendar ${calendarWindow.unit} (${calendarWindow.timeZone})`
}

/** In its largest whole unit: `1 hour`, `90 minutes`. */
function lengthText({ windowSeconds }: ShownWindow): string {
  const seconds = windowSeconds ?? 0
  const [length, name] = units.find(([unit]) => seconds % unit === 0) ?? ([1, 'second'] as const)
  const count = seconds / length
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
