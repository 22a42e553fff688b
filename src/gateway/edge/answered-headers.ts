import { connectionNames, withoutNamed } from './forwarded-headers.ts'

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

/** The header block of an answer. */
export interface AnswerHead {
  /** Name and value alternating. */
  readonly fields: string[]
  /** Octets of the body, as `Content-Length` declares; NaN where it is not declared. */
  readonly length: number
}

/**
 * The header block of the answer to the client: the backend's fields without
 * those of its connection, then the gateway's.
 *
 * @param raw as undici gives them: name and value alternating, in octets
 * @param own the call's answer headers
 */
export function answerHead(raw: readonly Buffer[], own: readonly string[]): AnswerHead {
  const kept: string[] = []
  let connection: string | undefined
  let length = Number.NaN
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toString('latin1') ?? ''
    const value = raw[at + 1]?.toString('latin1') ?? ''
    const folded = name.toLowerCase()
    if (dropped.has(folded) || folded.startsWith('access-control-')) {
      if (folded === 'connection') {
        connection = connection === undefined ? value : `${connection}, ${value}`
      }
      continue
    }
    if (folded === 'content-length') length = Number(value)
    kept.push(name, value)
  }
  const named = connectionNames(connection)
  const fields = named === undefined ? kept : withoutNamed(kept, named)
  for (const part of own) fields.push(part)
  return { fields, length }
}
