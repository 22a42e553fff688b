import { connectionNames, withoutNamed } from './forwarded-headers.ts'
import { createSpellings } from './spellings.ts'

// Fields of the backend's connection, its product names, and everything the gateway says itself
// (to whom a browser shows an answer, too: `Access-Control-*`).
const dropped: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'server',
  'x-powered-by',
  'via',
  'gateway-identity',
  'ratelimit',
  'ratelimit-policy',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'deprecation',
  'sunset',
])

/** What a field of the backend's answer is to the gateway, by its name alone. */
interface AnsweredName {
  /** Never reaches the client. */
  readonly isDropped: boolean
  /** What it says is needed for passing the answer on. */
  readonly framing: 'connection' | 'content-length' | 'transfer-encoding' | 'date' | undefined
}

const answeredName = createSpellings((folded): AnsweredName => {
  const isFraming =
    folded === 'connection' ||
    folded === 'content-length' ||
    folded === 'transfer-encoding' ||
    folded === 'date'
  return {
    isDropped: dropped.has(folded) || folded.startsWith('access-control-'),
    framing: isFraming ? folded : undefined,
  }
})

/** The header block of an answer. */
export interface AnswerHead {
  /** Name and value alternating. */
  readonly fields: string[]
  /** The same as it is written, where it says when the answer was made and how long it is. */
  readonly text: string | undefined
  /** Octets of the body, as `Content-Length` declares; NaN where it is not declared. */
  readonly length: number
  /** Whether the body has no transfer coding but chunked, which the parser has taken off; any other one would be lost with its field. */
  readonly isPlain: boolean
}

/**
 * The header block of the answer to the client: the backend's fields without
 * those of its connection, then the gateway's.
 *
 * @param raw those of the backend, name and value alternating
 * @param own the call's answer headers
 */
export function answerHead(raw: readonly string[], own: readonly string[]): AnswerHead {
  const kept: string[] = []
  let connection: string | undefined
  let lengthAt = -1
  let isPlain = true
  let isDated = false
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? ''
    const value = raw[at + 1] ?? ''
    const { isDropped, framing } = answeredName(name)
    if (framing === 'connection') {
      connection = connection === undefined ? value : `${connection}, ${value}`
    } else if (framing === 'content-length') {
      lengthAt = at
      continue
    } else if (framing === 'transfer-encoding' && value.toLowerCase() !== 'chunked') isPlain = false
    else if (framing === 'date') isDated = true
    if (isDropped) continue
    kept.push(name, value)
  }
  // Behind them all: Node reads a Content-Disposition anew, in another encoding, when it knows the length before.
  if (lengthAt >= 0) kept.push(raw[lengthAt] ?? '', raw[lengthAt + 1] ?? '')
  const length = lengthAt < 0 ? Number.NaN : Number(raw[lengthAt + 1])
  const named = connectionNames(connection)
  const fields = named === undefined ? kept : withoutNamed(kept, named)
  for (const part of own) fields.push(part)
  // A date that was one of the backend's connection is not among them any more.
  const isWhole = isDated && named?.has('date') !== true && !Number.isNaN(length)
  const text = isWhole ? written(fields) : undefined
  return { fields, text, length, isPlain }
}

function written(fields: readonly string[]): string {
  let text = ''
  for (let at = 0; at < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`
  return text
}
