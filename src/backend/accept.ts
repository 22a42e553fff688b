/** The weight that the client gives a media type: 0 (rejected) to 1. */
function quality(accept: string, type: string): number {
  const [main = ''] = type.split('/')
  let best = { specificity: -1, quality: 0 }
  for (const entry of accept.split(',')) {
    const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    const specificity = [`*/*`, `${main}/*`, type].indexOf(range)
    if (specificity <= best.specificity) continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    const value = weight === undefined ? 1 : Number(weight.slice(2))
    best = { specificity, quality: value >= 0 && value <= 1 ? value : 0 }
  }
  return best.quality
}

/** What an Accept header (RFC 9110, 12.5.1) allows the bank to send. */
export interface Acceptable {
  /** JSON in one of its two forms. */
  readonly json: boolean
  /** Errors as problem+json (RFC 9457) rather than in the form of the family. */
  readonly prefersProblem: boolean
}

/** Reads an Accept header; an absent or empty one accepts everything. */
export function readAccept(accept: string | undefined): Acceptable {
  if (accept === undefined || accept.trim() === '') return { json: true, prefersProblem: false }
  const json = quality(accept, 'application/json')
  const problem = quality(accept, 'application/problem+json')
  return { json: json > 0 || problem > 0, prefersProblem: problem > json }
}
