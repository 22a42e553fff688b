import { connectionNames } from './forwarded-headers.ts'

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

/**
 * The header block of the answer to the client, name and value alternating:
 * the backend's fields without those of its connection, then the gateway's.
 *
 * @param raw as undici gives them: name and value alternating, in octets
 * @param own the call's answer headers
 */
export function answerHeaders(raw: readonly Buffer[], own: readonly string[]): string[] {
  const kept: string[] = []
  let named: ReadonlySet<string> | undefined
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toString('latin1') ?? ''
    const folded = name.toLowerCase()
    if (dropped.has(folded) || folded.startsWith('access-control-')) {
      if (folded === 'connection') named = connectionNames(raw[at + 1]?.toString('latin1'))
      continue
    }
    kept.push(name, raw[at + 1]?.toString('latin1') ?? '')
  }
  const fields = named === undefined ? kept : withoutNamed(kept, named)
  for (const part of own) fields.push(part)
  return fields
}

function withoutNamed(fields: readonly string[], named: ReadonlySet<string>): string[] {
  return fields.filter((_, at) => !named.has((fields[at - (at % 2)] ?? '').toLowerCase()))
}
