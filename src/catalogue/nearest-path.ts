import { editDistance } from '../platform/edit-distance.ts'
import type { Catalogue, Operation, Segment } from './catalogue.ts'

/** Maximum number of wrong letters. */
const mistakesMax = 3
/** Maximum length of a compared path, to bound the cost of a hint. */
const comparedLengthMax = 200

/**
 * The published path most similar to an unpublished one; undefined if no path
 * is similar. Finds differences in case, typing errors, unpublished versions
 * and missing versions. Parameter names stay as in the document, so the hint
 * repeats nothing from the client's path.
 */
export function nearestPath({ versions }: Catalogue, path: string): string | undefined {
  if (path.length > comparedLengthMax) return undefined
  const wanted = path.toLowerCase().split('/').slice(1)
  const first = wanted[0] ?? ''
  const rest = /^v\d/.test(first) ? wanted.slice(1) : wanted
  let nearest: Operation | undefined
  let fewest = mistakesMax + 1
  // Newest version first: it is the best hint among equals.
  for (const { operations } of [...versions.values()].toReversed()) {
    for (const operation of operations) {
      const [version] = operation.segments
      if (operation.segments.length !== rest.length + 1 || version?.kind !== 'literal') continue
      const mistakes = mistakesIn(rest, operation.segments, version.text === first ? 0 : 1, fewest)
      if (mistakes >= fewest) continue
      nearest = operation
      fewest = mistakes
    }
  }
  return nearest?.path
}

/**
 * Number of wrong letters; counting stops at `enough`.
 *
 * @param rest what was asked for, without the version
 * @param segments of an operation, as many, after that of its version
 * @param before wrong letters so far
 */
function mistakesIn(
  rest: readonly string[],
  segments: readonly Segment[],
  before: number,
  enough: number,
): number {
  let mistakes = before
  for (const [at, asked] of rest.entries()) {
    if (mistakes >= enough) return enough
    const segment = segments[at + 1]
    if (segment?.kind === 'literal') {
      mistakes += editDistance(asked, segment.text.toLowerCase(), enough - mistakes)
    }
  }
  return mistakes
}
