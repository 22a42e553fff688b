import { editDistance } from '../platform/edit-distance.ts'
import type { Catalogue, Operation, Segment } from './catalogue.ts'
import { fits } from './path-template.ts'

/** Maximum number of wrong letters. */
const mistakesMax = 3
/** Maximum length of a compared path, and maximum number of comparisons, to bound the cost of a hint. */
const comparedLengthMax = 200
const comparisonsMax = 500

/**
 * The published path most similar to an unpublished one; undefined if no path
 * is similar. Finds differences in case, typing errors, unpublished versions
 * and missing prefixes. Parameter names stay as in the document, so the hint
 * repeats nothing from the client's path.
 */
export function nearestPath({ versions }: Catalogue, path: string): string | undefined {
  if (path.length > comparedLengthMax) return undefined
  const wanted = path.toLowerCase().split('/').slice(1)
  const hasSlash = wanted.length > 1 && wanted.at(-1) === ''
  if (hasSlash) wanted.pop()
  let nearest: Operation | undefined
  let fewest = mistakesMax + 1
  let compared = 0
  // Newest version first: it is the best hint among equals.
  for (const { prefix, operations } of [...versions.values()].toReversed()) {
    const begin = prefix.toLowerCase().split('/').slice(1)
    compared += 1
    if (compared > comparisonsMax) break
    const besides = mistakesInPrefix(wanted, begin)
    for (const operation of operations) {
      const rest = wanted.length - operation.segments.length
      if (rest !== 0 && rest !== begin.length) continue
      const before = (rest === 0 ? begin.length && 1 : besides) + Number(hasSlash)
      if (before >= fewest) continue
      compared += 1
      if (compared > comparisonsMax) return nearest?.path
      const mistakes = mistakesIn(wanted.slice(rest), operation.segments, before, fewest)
      if (mistakes >= fewest) continue
      nearest = operation
      fewest = mistakes
    }
  }
  return nearest?.path
}

/** Another version is one mistake, whatever its number. */
function mistakesInPrefix(wanted: readonly string[], prefix: readonly string[]): number {
  let mistakes = 0
  for (const [at, text] of prefix.entries()) {
    if (mistakes > mistakesMax) return mistakes
    const asked = wanted[at] ?? ''
    const isVersion = /^v?\d/.test(text) && /^v?\d/.test(asked)
    if (isVersion) mistakes += asked === text ? 0 : 1
    else mistakes += editDistance(asked, text, mistakesMax + 1)
  }
  return mistakes
}

/**
 * Number of wrong letters; counting stops at `enough`.
 *
 * @param asked the path without its prefix
 * @param segments of an operation, as many
 * @param before wrong letters so far
 */
function mistakesIn(
  asked: readonly string[],
  segments: readonly Segment[],
  before: number,
  enough: number,
): number {
  let mistakes = before
  for (const [at, text] of asked.entries()) {
    if (mistakes >= enough) return enough
    const segment = segments[at]
    if (segment?.kind === 'literal') {
      mistakes += editDistance(text, segment.text.toLowerCase(), enough - mistakes)
    } else if (segment?.kind === 'mixed' && !fits(text, lowerCase(segment.texts))) mistakes += 1
  }
  return mistakes
}

function lowerCase(texts: readonly string[]): readonly string[] {
  return texts.map((text) => text.toLowerCase())
}
