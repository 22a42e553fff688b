/**
 * The name that another may be a misspelling of: at most one letter in four of
 * the longer name is wrong, and never more than three.
 */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const found = candidates.flatMap((candidate) => {
    const most = Math.min(3, Math.floor(Math.max(name.length, candidate.length) / 4))
    const distance = editDistance(name, candidate, most + 1)
    return distance > most ? [] : [{ candidate, distance }]
  })
  return found.sort((a, b) => a.distance - b.distance)[0]?.candidate
}

/** Letters to add, remove, change or swap with the next (optimal string alignment); at most `enough`. */
export function editDistance(a: string, b: string, enough: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) >= enough) return enough
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : changed
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    // No later row has a smaller number.
    if (Math.min(...next) >= enough) return enough
    before = row
    row = next
  }
  return Math.min(enough, row[b.length] ?? enough)
}
