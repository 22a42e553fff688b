/** The name that another may be a misspelling of: at most one letter in four is wrong, and never more than three. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const most = Math.min(3, Math.floor(name.length / 4))
  const found = candidates
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate, most + 1) }))
    .filter(({ distance }) => distance <= most)
  return found.sort((a, b) => a.distance - b.distance)[0]?.candidate
}

/** Letters to add, remove or change (Levenshtein); at most `enough`. */
export function editDistance(a: string, b: string, enough: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) >= enough) return enough
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    // No later row has a smaller number.
    if (Math.min(...next) >= enough) return enough
    row = next
  }
  return Math.min(enough, row[b.length] ?? enough)
}
