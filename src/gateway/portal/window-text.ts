const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** A length of time in its largest whole unit: `1 hour`, `90 minutes`. */
export function windowText(seconds: number): string {
  const [length, name] = unitOf(seconds)
  const count = seconds / length
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** A window of a limit by its length: `hour`, or `window of 90 minutes` where no one word names it. */
export function windowWord(seconds: number): string {
  const [length, name] = unitOf(seconds)
  return seconds === length ? name : `window of ${windowText(seconds)}`
}

function unitOf(seconds: number) {
  return units.find(([unit]) => seconds % unit === 0) ?? ([1, 'second'] as const)
}
