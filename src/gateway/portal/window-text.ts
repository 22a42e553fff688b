const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** A window of a limit by its length: `hour`, or `window of 90 minutes` where no one word names it. */
export function windowWord(seconds: number): string {
  const [length, name] = units.find(([unit]) => seconds % unit === 0) ?? [1, 'second']
  return seconds === length ? name : `window of ${seconds / length} ${name}s`
}
