import type { Attack, Outcome } from '../attack.ts'

/** Every octet at one place of a request. */
interface Sweep {
  readonly why: string
  /** The parts with `§` where the octet goes. */
  readonly parts: Pick<
    Attack,
    'line' | 'host' | 'key' | 'framing' | 'fields' | 'body' | 'parameter' | 'target' | 'of'
  >
  /** Octets that are judged elsewhere, because they change what the place is. */
  readonly without?: RegExp
  /** Octets that are good there (RFC 9110, RFC 9112, RFC 3986, and our own rule for paths); all others are refused. */
  readonly good: RegExp
  /** How others are refused. */
  readonly refused: Outcome
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]$/
const fieldOctet = /^[\t -~\x80-\xff]$/
const unreserved = /^[A-Za-z0-9\-._~]$/
const nothing = /^(?!)/

const sweeps: readonly Sweep[] = [
  {
    why: 'an octet within a path parameter',
    parts: { parameter: 'a§b', of: 'parameter' },
    without: /^[/?]$/,
    good: unreserved,
    refused: '400',
  },
  {
    why: 'an encoded octet within a path parameter',
    parts: { parameter: 'a%§§b', of: 'parameter' },
    good: nothing,
    refused: '400 TARGET_INVALID',
  },
  {
    why: 'an octet that is encoded twice within a path parameter',
    parts: { parameter: 'a%25§§b', of: 'parameter' },
    good: nothing,
    refused: '400 TARGET_INVALID',
  },
  {
    why: 'an encoded octet behind the path',
    parts: { target: '/{version}/{path}%§§' },
    good: nothing,
    refused: '400 TARGET_INVALID',
  },
  {
    why: 'an octet in front of the path',
    parts: { target: '/§{version}/{path}' },
    // "#" and "?" end the path; unreserved octets make a path that does not exist.
    without: /^[?A-Za-z0-9\-._~]$/,
    good: nothing,
    refused: '400',
  },
  {
    why: 'an octet within the query',
    parts: { target: '/{version}/{path}?a=§b' },
    without: /^%$/,
    good: /^[A-Za-z0-9\-._~!$&'()*+,;=:@/?]$/,
    refused: '400',
  },
  {
    why: 'an encoded octet within the query',
    parts: { target: '/{version}/{path}?a=%§§b' },
    good: /./s,
    refused: '400',
  },
  {
    why: 'an octet within the name of a field',
    parts: { fields: 'X-A§b: c\r\n' },
    // A colon ends the name; an underscore is a rule of ours.
    without: /^[:_]$/,
    good: token,
    refused: '400',
  },
  {
    why: 'an octet behind the name of a field',
    parts: { fields: 'X-A§: c\r\n' },
    without: /^[:_]$/,
    good: token,
    refused: '400',
  },
  {
    why: 'an octet in front of a field',
    parts: { fields: '§X-A: c\r\n' },
    without: /^[:_]$/,
    good: token,
    refused: '400',
  },
  {
    why: 'an octet within the value of a field that reaches the backend',
    parts: { fields: 'Accept-Language: a§b\r\n' },
    good: fieldOctet,
    refused: '400',
  },
  {
    why: 'an octet in front of the value of a field',
    parts: { fields: 'Accept-Language:§b\r\n' },
    good: fieldOctet,
    refused: '400',
  },
  {
    why: 'an octet in place of the CR of a field',
    parts: { fields: 'X-A: b§\n' },
    without: /^\r$/,
    good: nothing,
    refused: '400',
  },
  {
    why: 'an octet within the host',
    parts: { host: 'Host: bank§example\r\n' },
    good: unreserved,
    refused: '400',
  },
  {
    why: 'an octet behind the method',
    parts: { line: '{method}§ /{version}/{path} HTTP/1.1\r\n' },
    without: /^ $/,
    good: nothing,
    refused: 'refused',
  },
  {
    why: 'an octet in place of the blank before the protocol',
    parts: { line: '{method} /{version}/{path}§HTTP/1.1\r\n' },
    without: /^ $/,
    good: nothing,
    refused: 'refused',
  },
  {
    why: 'an octet in place of the minor version',
    parts: { line: '{method} /{version}/{path} HTTP/1.§\r\n' },
    without: /^[01]$/,
    good: nothing,
    refused: 'refused',
  },
  {
    why: 'an octet in front of the length',
    parts: { framing: 'Content-Length: §{length}\r\n', body: '{json}', of: 'with body' },
    without: /^[1-9]$/,
    good: /^[ \t]$/,
    refused: '400',
  },
  {
    why: 'an octet behind the length',
    parts: { framing: 'Content-Length: {length}§\r\n', body: '{json}', of: 'with body' },
    without: /^[0-9]$/,
    good: /^[ \t]$/,
    refused: '400',
  },
  {
    why: 'an octet behind the coding',
    parts: {
      framing: 'Transfer-Encoding: chunked§\r\n',
      body: '{hex}\r\n{json}\r\n0\r\n\r\n',
      of: 'with body',
    },
    // A tab there is white space (RFC 9112, 5), but Node's parser refuses it.
    good: /^ $/,
    refused: 'refused',
  },
  {
    why: 'an octet in front of the coding',
    parts: {
      framing: 'Transfer-Encoding: §chunked\r\n',
      body: '{hex}\r\n{json}\r\n0\r\n\r\n',
      of: 'with body',
    },
    good: /^[ \t]$/,
    refused: 'refused',
  },
  {
    why: 'an octet in front of the size of a chunk',
    parts: {
      framing: 'Transfer-Encoding: chunked\r\n',
      body: '§{hex}\r\n{json}\r\n0\r\n\r\n',
      of: 'with body',
    },
    without: /^[1-9a-fA-F]$/,
    good: /^0$/,
    refused: '400',
  },
  {
    why: 'an octet behind the size of a chunk',
    parts: {
      framing: 'Transfer-Encoding: chunked\r\n',
      body: '{hex}§\r\n{json}\r\n0\r\n\r\n',
      of: 'with body',
    },
    without: /^[0-9a-fA-F;]$/,
    good: nothing,
    refused: '400',
  },
  {
    why: 'an octet in place of the CR behind a chunk',
    parts: {
      framing: 'Transfer-Encoding: chunked\r\n',
      body: '{hex}\r\n{json}§\n0\r\n\r\n',
      of: 'with body',
    },
    without: /^\r$/,
    good: nothing,
    refused: '400',
  },
  {
    why: 'an octet in place of the last CR',
    parts: {
      framing: 'Transfer-Encoding: chunked\r\n',
      body: '{hex}\r\n{json}\r\n0\r\n§\n',
      of: 'with body',
    },
    without: /^\r$/,
    good: nothing,
    refused: '400',
  },
]

/** Operations per octet: each octet meets others, and all sweeps together all of them. */
const spread = 3

export const octetAttacks: readonly Attack[] = sweeps.flatMap((sweep) =>
  Array.from({ length: 256 }, (_, octet) => octet)
    .filter((octet) => sweep.without?.test(String.fromCharCode(octet)) !== true)
    .map((octet) => attackWith(sweep, octet)),
)

function attackWith({ why, parts, good, refused }: Sweep, octet: number): Attack {
  const character = String.fromCharCode(octet)
  const hexadecimal = octet.toString(16).padStart(2, '0')
  const entries = Object.entries(parts).map(([part, template]) => [
    part,
    template.replace('§§', () => hexadecimal).replace('§', () => character),
  ])
  return {
    kind:
      parts.framing === undefined
        ? (parts.parameter ?? parts.target)
          ? 'path'
          : 'head'
        : 'framing',
    why: `${why}: ${hexadecimal}`,
    expected: good.test(character) ? 'forwarded' : refused,
    spread,
    ...Object.fromEntries(entries),
  }
}
