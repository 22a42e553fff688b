import type { Attack } from './attack.ts'
import type { AttackedOperation } from './operations.ts'

/** One attack on one operation, with the number that its marks and its key carry. */
export interface Input {
  readonly number: number
  readonly attack: Attack
  readonly operation: AttackedOperation
}

/** The sender of a request, in `User-Agent`: it identifies requests in the backend's records and answers. */
export type Sender = 'attack' | 'tail' | 'smuggled'

export const markPattern = /\b(attack|tail|smuggled)-(\d+)\b/

/** Every input has its own application, so counts identify the input. */
export function keyOf(number: number): string {
  return `tg_${number}`
}

export function applicationOf(number: number): string {
  return `app-${number}`
}

/** The octets of an input, one character each. */
export function messageOf({ attack, operation, number }: Input): string {
  return filled(attack.raw ?? wellFormed(attack, operation), operation, number)
}

/** Names an input so that it can be found in the corpus and sent again. */
export function describe(input: Input): string {
  const { number, attack, operation } = input
  return `input ${number} (${attack.kind}: ${attack.why}; ${operation.name}) ${JSON.stringify(messageOf(input).slice(0, 240))}`
}

/**
 * A good request that follows every input on its connection: its answer shows whether both sides agree on where the input
 * ended.
 */
export function tailOf(number: number): string {
  return `GET /v1.7.0/accounts HTTP/1.1\r\nHost: bank.example\r\nX-API-Key: ${keyOf(number)}\r\nUser-Agent: tail-${number}\r\nConnection: close\r\n\r\n`
}

function wellFormed(attack: Attack, operation: AttackedOperation): string {
  const target = attack.target ?? `/{version}/{path}${query(attack)}`
  const body = attack.body ?? (operation.hasBody ? '{json}' : '')
  // `{bodyLength}` is known once the body is filled in.
  const framing =
    attack.framing ??
    (body === '' ? '' : 'Content-Type: application/json\r\nContent-Length: {bodyLength}\r\n')
  const head = [
    attack.line ?? `${attack.method ?? operation.method} ${pathOf(target, attack)} HTTP/1.1\r\n`,
    attack.host ?? 'Host: bank.example\r\n',
    attack.key ?? 'X-API-Key: {key}\r\n',
    'User-Agent: {mark}\r\n',
    framing,
    attack.fields ?? '',
  ]
  return `${head.join('')}\r\n{body:}${body}`
}

function query({ answer }: Attack): string {
  return answer === undefined ? '' : `?answer=${answer}`
}

/** With the attack's own value for the last parameter. */
function pathOf(target: string, { parameter }: Attack): string {
  return parameter === undefined ? target : target.replace('{path}', `{path:${parameter}}`)
}

function filled(template: string, operation: AttackedOperation, number: number): string {
  const [head = '', body] = replaced(template, operation, number).split('{body:}')
  if (body === undefined) return head
  return head.replace('{bodyLength}', String(body.length)) + body
}

function replaced(template: string, operation: AttackedOperation, number: number): string {
  const { version, otherVersion, segments, method } = operation
  const path = segments.join('/')
  const mark = `attack-${number}`
  const key = keyOf(number)
  const json = `{"mark":"${mark}"}`
  const smuggled = `DELETE /v1.7.0/consents/smuggled HTTP/1.1\r\nHost: bank.example\r\nX-API-Key: ${key}\r\nUser-Agent: smuggled-${number}\r\n\r\n`
  const get = (target: string): string =>
    `GET /v1.7.0/accounts${target} HTTP/1.1\r\nHost: bank.example\r\nX-API-Key: ${key}\r\nUser-Agent: ${mark}\r\n\r\n`
  const values: Readonly<Record<string, string>> = {
    version,
    path,
    method,
    mark,
    key,
    json,
    smuggled,
    other: otherVersion,
    capitalVersion: version.toUpperCase(),
    capital: path.charAt(0).toUpperCase() + path.slice(1),
    encoded: `${encoded(path.charAt(0))}${path.slice(1)}`,
    twice: `${encoded(path.charAt(0)).replace('%', '%25')}${path.slice(1)}`,
    dots: version.replaceAll('.', '%2e'),
    lead: ['', version, ...segments.slice(0, -1)].join('/'),
    last: segments.at(-1) ?? '',
    length: String(json.length),
    hex: json.length.toString(16),
    smuggledLength: String(smuggled.length),
    smuggledHex: smuggled.length.toString(16),
    get: get(''),
    slow: get('?answer=slow'),
  }
  return template.replaceAll(/\{(\w+)(?::([^{}]*))?\}/g, (whole, name: string, value?: string) => {
    if (name === 'path' && value !== undefined) return withParameter(segments, value)
    return values[name] ?? whole
  })
}

function withParameter(segments: readonly string[], value: string): string {
  const at = segments.findLastIndex((segment) => segment.startsWith('p-'))
  return segments.toSpliced(at, 1, value).join('/')
}

function encoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`
}
