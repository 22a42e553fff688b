import type { Attack, Outcome } from '../attack.ts'

/** What a backend that was broken into, or is broken, answers. */
export interface HostileAnswer {
  /** In the query of the request that asks for it. */
  readonly name: string
  /** `{mark}` is the mark of the request. */
  readonly octets: string
  readonly expected: Outcome
  readonly why: string
  /** What the backend does after the octets. (Default: it keeps the connection.) */
  readonly ending?: 'end' | 'reset'
  /** Whether the connection may carry another request. (Default: false) */
  readonly isReusable?: true
  /** Milliseconds before it. */
  readonly waits?: number
  /** Milliseconds between its octets. (Default: all leave at once) */
  readonly octetMs?: number
}

const ok = 'HTTP/1.1 200 OK\r\n'
const body = '{"mark":"{mark}"}'
const other = '{"mark":"smuggled-0"}'
const length = 'Content-Length: {bodyLength}\r\n'
const good = `${ok}${length}\r\n${body}`
const foreign = `${ok}Content-Length: ${other.length}\r\n\r\n${other}`
const bad = 'reached 502'

type Row = readonly [
  name: string,
  octets: string,
  expected: Outcome,
  why: string,
  more?: Pick<HostileAnswer, 'ending' | 'isReusable' | 'waits'>,
]

const rows: readonly Row[] = [
  ['slow', good, 'forwarded', 'a good answer that comes late', { waits: 40, isReusable: true }],
  ['two-lengths', `${ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`, bad, 'two lengths'],
  ['equal-lengths', `${ok}${length}${length}\r\n${body}`, bad, 'the same length twice'],
  ['length-list', `${ok}Content-Length: 5, 5\r\n\r\nabcde`, bad, 'a list of lengths'],
  ['length-sign', `${ok}Content-Length: +5\r\n\r\nabcde`, bad, 'a length with a sign'],
  ['length-below', `${ok}Content-Length: -1\r\n\r\n`, bad, 'a length below 0'],
  [
    'length-overflow',
    `${ok}Content-Length: 99999999999999999999\r\n\r\n`,
    bad,
    'a length that overflows',
  ],
  [
    'length-and-coding',
    `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    bad,
    'a length and a coding',
  ],
  [
    'coding-and-length',
    `${ok}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    bad,
    'a coding and a length',
  ],
  [
    'coding-gzip',
    `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    bad,
    'a coding that would be lost with its field',
  ],
  [
    'coding-blank',
    `${ok}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
    bad,
    'a blank before the colon',
  ],
  ['no-status', 'GARBAGE\r\n\r\n', bad, 'no status line'],
  ['status-text', 'HTTP/1.1 OK\r\n\r\n', bad, 'a status that is no number'],
  ['status-long', 'HTTP/1.1 2000 OK\r\n\r\n', bad, 'a status of four digits'],
  ['status-zero', 'HTTP/1.1 000 OK\r\n\r\n', bad, 'status 0'],
  ['version-two', `HTTP/2.0 200 OK\r\n${length}\r\n${body}`, bad, 'another version'],
  ['version-nine', `HTTP/0.9 200 OK\r\n${length}\r\n${body}`, bad, 'a version without fields'],
  ['rtsp', `RTSP/1.0 200 OK\r\n${length}\r\n${body}`, bad, 'another protocol'],
  ['reason-nul', `HTTP/1.1 200 O\0K\r\n${length}\r\n${body}`, bad, 'NUL in the reason'],
  ['two-cr', `HTTP/1.1 200 OK\r\r\n${length}\r\n${body}`, bad, 'two CR behind the status'],
  ['field-lf', `${ok}X-A: b\nX-C: d\r\n${length}\r\n${body}`, bad, 'a field that ends in LF'],
  ['field-cr', `${ok}X-A: b\rX-C: d\r\n${length}\r\n${body}`, bad, 'a bare CR in a field'],
  ['field-nul', `${ok}X-A: b\0c\r\n${length}\r\n${body}`, bad, 'NUL in a field'],
  ['field-fold', `${ok}X-A: b\r\n c\r\n${length}\r\n${body}`, bad, 'a folded field'],
  ['field-none', `${ok}X-A\r\n${length}\r\n${body}`, bad, 'a line without a colon'],
  [
    'head-large',
    `${ok}X-A: ${'b'.repeat(1_048_576)}\r\n${length}\r\n${body}`,
    bad,
    'a field of 1 MiB',
  ],
  ['head-many', `${ok}${'X-A: b\r\n'.repeat(20_000)}${length}\r\n${body}`, bad, 'many fields'],
  [
    'switching',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    bad,
    'an upgrade that was not requested',
  ],
  [
    'interim-flood',
    'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(1_000) + good,
    bad,
    'a thousand interim answers',
  ],
  [
    'interim',
    `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${good}`,
    'forwarded',
    'an interim answer stays here',
    { isReusable: true },
  ],
  [
    'continue',
    `HTTP/1.1 100 Continue\r\n\r\n${good}`,
    'forwarded',
    'an unrequested 100 Continue stays here',
    { isReusable: true },
  ],
  ['chunk-garbage', `${ok}Transfer-Encoding: chunked\r\n\r\nno chunk\r\n`, bad, 'no chunk'],
  [
    'chunk-sign',
    `${ok}Transfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n`,
    bad,
    'a chunk size with a sign',
  ],
  [
    'chunk-lf',
    `${ok}Transfer-Encoding: chunked\r\n\r\n5\nabcde\n0\n\n`,
    bad,
    'chunk lines that end in LF',
  ],
  [
    'trailer',
    `${ok}Transfer-Encoding: chunked\r\n\r\n{bodyHex}\r\n${body}\r\n0\r\nSet-Cookie: evil\r\n\r\n`,
    'forwarded',
    'a trailer is dropped',
    { isReusable: true },
  ],
  [
    'no-content-body',
    `HTTP/1.1 204 No Content\r\nContent-Length: ${foreign.length}\r\n\r\n${foreign}`,
    bad,
    'a 204 that declares a body',
  ],
  [
    'behind',
    `${good}${foreign}`,
    'forwarded',
    'an answer after the answer: it would answer the next call if the connection is kept',
  ],
  ['behind-octet', `${good}x`, 'forwarded', 'one octet behind the answer'],
  ['cut-head', `${ok}Content-Le`, bad, 'ends within the fields', { ending: 'end' }],
  ['cut-at-once', '', bad, 'ends without an answer', { ending: 'end' }],
  ['reset-at-once', '', bad, 'resets without an answer', { ending: 'reset' }],
  [
    'cut-chunks',
    `${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n`,
    'cut',
    'ends between two chunks',
    { ending: 'end' },
  ],
  [
    'reset-body',
    `${ok}Content-Length: 100\r\n\r\nabcde`,
    'cut',
    'resets within the body',
    { ending: 'reset' },
  ],
  [
    'cut-body',
    `${ok}Content-Length: 100\r\n\r\nabcde`,
    'cut',
    'ends within the body',
    { ending: 'end' },
  ],
  [
    'until-end',
    `${ok}\r\n${body}`,
    'forwarded',
    'a body that lasts until the connection ends',
    { ending: 'end' },
  ],
  [
    'old',
    `HTTP/1.0 200 OK\r\n${length}\r\n${body}`,
    'forwarded',
    'HTTP/1.0 does not keep the connection',
  ],
  ['closes', `${ok}Connection: close\r\n${length}\r\n${body}`, 'forwarded', 'says that it closes'],
  [
    'hop-fields',
    `${ok}Connection: X-Hop\r\nX-Hop: evil\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: evil\r\nUpgrade: evil\r\n${length}\r\n${body}`,
    'forwarded',
    'fields of the connection to the backend',
    { isReusable: true },
  ],
  [
    'imitates',
    `${ok}RateLimit: "default";r=evil\r\nX-RateLimit-Remaining: evil\r\nAccess-Control-Allow-Origin: evil\r\nServer: evil\r\nVia: evil\r\nGateway-Identity: evil\r\n${length}\r\n${body}`,
    'forwarded',
    'fields that only the gateway sets',
    { isReusable: true },
  ],
]

/** By name, for the backend. */
export const hostileAnswers: ReadonlyMap<string, HostileAnswer> = new Map(
  rows.map(([name, octets, expected, why, more]) => [
    name,
    { name, octets, expected, why, ...more },
  ]),
)

export const answerAttacks: readonly Attack[] = [...hostileAnswers.values()].map(
  ({ name, expected, why }): Attack => ({
    kind: 'answer',
    answer: name,
    why,
    expected,
    ...(expected === 'cut' ? { mustClose: true } : {}),
  }),
)
