/** Whether the text is `major.minor.patch`, each a number without leading zeros. */
export function isVersionNumber(text: string): boolean {
  return /^(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$/.test(text)
}

/** The path prefix of a version of any API: `/v1.7.0`. */
export function versionPrefix(version: string): string {
  return `/v${version}`
}

/** Orders version numbers by age: `1.9.0` before `1.10.0`. For sorting. */
export function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number)
  const right = b.split('.').map(Number)
  for (const [index, number] of left.entries()) {
    const difference = number - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
