/** What a search looks at. */
export interface Findable {
  readonly title: string
  /** A second line; may be empty. */
  readonly detail: string
  /** Also found by these; not shown. */
  readonly words: string
  /** For a part of a page: the page, which comes first if both match; otherwise empty. */
  readonly place: string
}

/**
 * The entries that a query finds, best first. Every word of the query must be
 * in an entry: the beginning of the title counts most, then the beginning of a
 * word, any part, and letters in order with others between them ("lstacc" finds
 * `listAccounts`). Accents, vowel points and case do not matter.
 */
export function findEntries<Entry extends Findable>(
  entries: readonly Entry[],
  query: string,
  most: number,
): readonly Entry[] {
  const words = plain(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ entry }) => entry)
}

function scoreOf(entry: Findable, words: readonly string[]): number {
  const title = plain(entry.title)
  const others = plain(entry.words)
  const detail = plain(entry.detail)
  const scores = words.map((word) =>
    Math.max(scoreIn(title, word), scoreIn(others, word) * 0.9, scoreIn(detail, word) * 0.6),
  )
  if (scores.includes(0)) return 0
  const sum = scores.reduce((total, score) => total + score, 0)
  // Of two equal matches, the clearly shorter title ranks higher; otherwise they keep their order, guides first.
  const mean = sum / words.length - Math.min(Math.round(title.length / 10), 10) / 10
  return entry.place === '' ? mean : mean * 0.7
}

function scoreIn(text: string, word: string): number {
  const at = text.indexOf(word)
  if (at === 0) return text.length === word.length ? 100 : 90
  // In Hebrew, "and", "the" or "to" may be a one-letter prefix of a word.
  const isWordStart = [...text.matchAll(/[\p{L}\p{N}]+/gu)].some(
    ([found]) => found.startsWith(word) || (/^[ושהבכלמ]/u.test(found) && found.startsWith(word, 1)),
  )
  if (isWordStart) return 70
  if (at > 0) return 50
  return word.length >= 4 && isSpread(text, word) ? 10 : 0
}

/** Whether the letters of a word follow one another within one word of the text, others between them. */
function isSpread(text: string, word: string): boolean {
  return text.split(/\s+/).some((found) => {
    if (found.length > word.length * 3 || found[0] !== word[0]) return false
    let at = 0
    for (const letter of found) if (letter === word[at]) at += 1
    return at === word.length
  })
}

function plain(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
