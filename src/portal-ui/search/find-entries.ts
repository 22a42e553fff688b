import type { Language } from '../../messages/language.ts'
import { stopWords, synonyms } from './synonyms.ts'

/** What a search looks at. */
export interface Findable {
  readonly title: string
  /** A second line; may be empty. */
  readonly detail: string
  /** Also found by these; not shown. */
  readonly words: string
  /** Found least by these, as the text of a section; not shown. */
  readonly text: string
  /** For a part of a page: the page, which comes first if both match; otherwise empty. */
  readonly place: string
}

/** What a query finds. */
export interface Found<Entry> {
  readonly entries: readonly Entry[]
  /** Whether the best ones have the whole query, and not only the largest part. */
  readonly isExact: boolean
}

/**
 * The entries that a query finds, best first: those with every word, then those
 * with some. Of a word, the beginning of the title counts most, then the
 * beginning of a word, any part, and letters in order with others between them
 * ("lstacc" finds `listAccounts`); a synonym counts less than the word itself.
 * Accents, vowel points, case and the small words of a question do not matter.
 */
export function findEntries<Entry extends Findable>(
  entries: readonly Entry[],
  {
    query,
    language,
    most,
  }: { readonly query: string; readonly language: Language; readonly most: number },
): Found<Entry> {
  const terms = termsOf(query, language)
  const scored = entries
    .map((entry) => ({ entry, ...scoreOf(entry, terms) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.matched - one.matched || other.score - one.score)
  return {
    entries: scored.slice(0, most).map(({ entry }) => entry),
    isExact: scored[0]?.matched === terms.length,
  }
}

/** One thing that a query asks for: the words of each of its names, the one that was typed first. */
type Term = readonly (readonly string[])[]

/** Every name of {@link synonyms} with its group, longer names first: "sandbox password" is not two things. */
function namesOf(language: Language): readonly { name: readonly string[]; group: Term }[] {
  return synonyms[language]
    .map((names) => names.map((name) => wordsIn(name)))
    .flatMap((group) => group.map((name) => ({ name, group })))
    .toSorted((one, other) => other.name.join(' ').length - one.name.join(' ').length)
}

const names: Readonly<Record<Language, ReturnType<typeof namesOf>>> = {
  en: namesOf('en'),
  he: namesOf('he'),
}

function termsOf(query: string, language: Language): readonly Term[] {
  let rest = ` ${wordsIn(query).join(' ')} `
  const terms: Term[] = []
  for (const { name, group } of names[language]) {
    const typed = ` ${name.join(' ')} `
    if (!rest.includes(typed)) continue
    rest = rest.replace(typed, ' ')
    terms.push([name, ...group.filter((other) => other !== name)])
  }
  const others = rest.split(' ').filter(Boolean)
  const said = others.filter((word) => !stopWords[language].has(word))
  // A query of small words alone means them.
  const kept = terms.length + said.length > 0 ? said : others
  return [...terms, ...kept.map((word) => [[word], ...withoutPrefix(word)])]
}

/** In Hebrew, the first letter may be "and", "the" or "to". */
function withoutPrefix(word: string): Term {
  return /^[ושהבכלמ][\u05d0-\u05ea]{3}/u.test(word) ? [[word.slice(1)]] : []
}

/** @returns how many terms an entry has, and how well */
function scoreOf(entry: Findable, terms: readonly Term[]) {
  const fields = [
    { text: plain(entry.title), weight: 1, least: anywhere },
    { text: plain(entry.words), weight: 0.9, least: anywhere },
    { text: plain(entry.detail), weight: 0.6, least: anywhere },
    // In a long text, a part of a word is there by chance.
    { text: plain(entry.text), weight: 0.3, least: wordStart },
  ]
  const scores = terms.map((names) =>
    Math.max(
      ...names.flatMap((words, at) =>
        fields.map(({ text, weight, least }) => {
          const isTyped = at === 0
          const enough = isTyped ? least : wordStart
          const score = Math.min(...words.map((word) => scoreIn(text, word, enough)))
          return score * weight * (isTyped ? 1 : 0.7)
        }),
      ),
    ),
  )
  const matched = scores.filter((score) => score > 0).length
  if (matched === 0) return { matched, score: 0 }
  const sum = scores.reduce((total, score) => total + score, 0)
  // Of two equal matches, the clearly shorter title ranks higher; otherwise they keep their order, guides first.
  const mean = sum / terms.length - Math.min(Math.round(entry.title.length / 10), 10) / 10
  return { matched, score: entry.place === '' ? mean : mean * 0.7 }
}

/** The scores of a word that begins a word of a text, that is a part of one, and whose letters are somewhere in it. */
const wordStart = 70
const inside = 50
const anywhere = 10

/** @param least a lower score counts as none */
function scoreIn(text: string, word: string, least: number): number {
  const at = text.indexOf(word)
  // Most texts lack most words, so the cheapest look comes first.
  if (at === -1) {
    const isFound = least <= anywhere && word.length >= 4 && isSpread(text, word)
    return isFound ? anywhere : 0
  }
  if (at === 0) return text.length === word.length ? 100 : 90
  // In Hebrew, "and", "the" or "to" may be a one-letter prefix of a word.
  const isWordStart = [...text.matchAll(/[\p{L}\p{N}]+/gu)].some(
    ([found]) => found.startsWith(word) || (/^[ושהבכלמ]/u.test(found) && found.startsWith(word, 1)),
  )
  // Also what has a mark inside, as "x-request-id".
  if (isWordStart || text.split(/\s+/).includes(word)) return wordStart
  return least <= inside ? inside : 0
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

/** The words of a query, without the marks around them. */
function wordsIn(query: string): readonly string[] {
  return plain(query)
    .split(/\s+/)
    .map((word) => word.replaceAll(/^[?!.,:;"'“”„’()]+|[?!.,:;"'“”„’()]+$/gu, ''))
    .filter(Boolean)
}

function plain(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
