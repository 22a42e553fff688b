/**
 * Whether a text can name a version of an API: at most six numbers with dots
 * between them, such as `4`, `1.3.8` or `20111101`.
 */
export function isVersionLabel(text: string): boolean {
  return /^[0-9]{1,10}(\.[0-9]{1,10}){0,5}$/.test(text)
}

/** Orders versions by age: `1.9.0` before `1.10.0`, `4` before `4.0`. For sorting. */
export function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number)
  const right = b.split('.').map(Number)
  for (const [index, number] of left.entries()) {
    const difference = number - (right[index] ?? -1)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
