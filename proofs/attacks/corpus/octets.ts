import type { Attack, Outcome } from '../attack.ts'

/** Tries every octet at one position of a request. */
interface Sweep {
  readonly why: string
  /** The parts, with `§` in place of the octet and `§§` in place of its two hexadecimal digits. */
  readonly parts: Pick<
    Attack,
    'line' | 'host' | 'key' | 'framing' | 'fields' | 'body' | 'parameter' | 'target' | 'only'
  >
  /** Octets to skip: they change the meaning of the position, and other attacks cover them. */
  readonly except?: RegExp
  /** Octets allowed there (RFC 9110, RFC 9112, RFC 3986, and our own rule for paths); all others are refused. */
  readonly allowed: RegExp
  /** The outcome for all other octets. */
  readonly refused: Outcome
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]$/
const fieldOctet = /^[\t -~\x80-\xff]$/
const unreserved = /^[A-Za-z0-9\-._~]$/
/** `pchar` without ";": what a segment may hold as it is. */
const segment = /^[A-Za-z0-9\-._~!$&'()*+,=:@]$/
const nothing = /^(?!)/

const sweeps: readonly Sweep[] = [
  {
    why: 'an octet within a path parameter',
    parts: { parameter: 'a§b', only: 'parameter' },
    except: /^[/?]$/,
    allowed: segment,
    refused: '400',
  },
  {
    why: 'an encoded octet within a path parameter',
    parts: { parameter: 'a%§§b', only: 'parameter' },
    // An octet above 127 alone is no UTF-8.
    allowed: /^(?![/\\;?#%])[ -~]$/,
    refused: '400 TARGET_INVALID',
  },
  {
    why: 'an octet that is encoded twice within a path parameter',
    parts: { parameter: 'a%25§§b', only: 'parameter' },
    allowed: nothing,
    refused: '400 TARGET_INVALID',
  },
  {
    why: 'an encoded octet after a path that ends in text',
    parts: { target: '/{version}/{path}%§§', only: 'literal' },
    // A path that does not exist, or none at all.
    allowed: nothing,
    refused: 'refused',
  },
  {
    why: 'an octet before the path',
    parts: { target: '/§{version}/{path}' },
    // "#" and "?" end the path; what a segment may hold makes a path that does not exist.
    except: /^[?A-Za-z0-9\-._~!$&'()*+,=:@]$/,
    allowed: nothing,
    refused: '400',
  },
  {
    why: 'an octet within the query',
    parts: { target: '/{version}/{path}?a=§b' },
    except: /^%$/,
    allowed: /^[A-Za-z0-9\-._~!$&'()*+,;=:@/?]$/,
    refused: '400',
  },
  {
    why: 'an encoded octet within the query',
    parts: { target: '/{version}/{path}?a=%§§b' },
    allowed: /./s,
    refused: '400',
  },
  {
    why: 'an octet within the name of a field',
    parts: { fields: 'X-A§b: c\r\n' },
    // A colon ends the name; an underscore is refused by our own rule.
    except: /^[:_]$/,
    allowed: token,
    refused: '400',
  },
  {
    why: 'an octet after the name of a field',
    parts: { fields: 'X-A§: c\r\n' },
    except: /^[:_]$/,
    allowed: token,
    refused: '400',
  },
  {
    why: 'an octet before a field',
    parts: { fields: '§X-A: c\r\n' },
    except: /^[:_]$/,
    allowed: token,
    refused: '400',
  },
  {
    why: 'an octet within the value of a field that reaches the backend',
    parts: { fields: 'Accept-Language: a§b\r\n' },
    allowed: fieldOctet,
    refused: '400',
  },
  {
    why: 'an octet before the value of a field',
    parts: { fields: 'Accept-Language:§b\r\n' },
    allowed: fieldOctet,
    refused: '400',
  },
  {
    why: 'an octet in place of the CR of a field',
    parts: { fields: 'X-A: b§\n' },
    except: /^\r$/,
    allowed: nothing,
    refused: '400',
  },
  {
    why: 'an octet within the host',
    parts: { host: 'Host: bank§example\r\n' },
    allowed: unreserved,
    refused: '400',
  },
  {
    why: 'an octet after the method',
    parts: { line: '{method}§ /{version}/{path} HTTP/1.1\r\n' },
    except: /^ $/,
    allowed: nothing,
    refused: 'refused',
  },
  {
    why: 'an octet in place of the space before the protocol',
    parts: { line: '{method} /{version}/{path}§HTTP/1.1\r\n' },
    except: /^ $/,
    allowed: nothing,
    refused: 'refused',
  },
  {
    why: 'an octet in place of the minor version',
    parts: { line: '{method} /{version}/{path} HTTP/1.§\r\n' },
    except: /^[01]$/,
    allowed: nothing,
    refused: 'refused',
  },
  {
    why: 'an octet before the length',
    parts: { framing: 'Content-Length: §{length}\r\n', body: '{json}', only: 'with body' },
    except: /^[1-9]$/,
    allowed: /^[ \t]$/,
    refused: '400',
  },
  {
    why: 'an octet after the length',
    parts: { framing: 'Content-Length: {length}§\r\n', body: '{json}', only: 'with body' },
    except: /^[0-9]$/,
    allowed: /^[ \t]$/,
    refused: '400',
  },
  {
    why: 'an octet after the coding',
    parts: {
      framing: 'Transfer-Encoding: chunked§\r\n',
      body: '{hex}\r\n{json}\r\n0\r\n\r\n',
      only: 'with body',
    },
    // A tab there is white space (RFC 9112, 5), but Node's parser refuses it.
    allowed: /^ $/,
    refused: 'refused',
  },
  {
    why: 'an octet before the coding',
    parts: {
      framing: 'Transfer-Encoding: §chunked\r\n',
      body: '{hex}\r\n{json}\r\n0\r\n\r\n',
      only: 'with body',
    },
    allowed: /^[ \t]$/,
    refused: 'refused',
  },
  {
    why: 'an octet before the size of a chunk',
    parts: {
      framing: 'Transfer-Encoding: chunked\r\n',
      body: '§{hex}\r\n{json}\r\n0\r\n\r\n',
      only: 'with body',
    },
    except: /^[1-9a-fA-F]$/,
    allowed: /^0$/,
    refused: '400',
  },
  {
    why: 'an octet after the size of a chunk',
    parts: {
      framing: 'Transfer-Encoding: chunked\r\n',
      body: '{hex}§\r\n{json}\r\n0\r\n\r\n',
      only: 'with body',
    },
    except: /^[0-9a-fA-F;]$/,
    allowed: nothing,
    refused: '400',
  },
  {
    why: 'an octet in place of the CR after a chunk',
    parts: {
      framing: 'Transfer-Encoding: chunked\r\n',
      body: '{hex}\r\n{json}§\n0\r\n\r\n',
      only: 'with body',
    },
    except: /^\r$/,
    allowed: nothing,
    refused: '400',
  },
  {
    why: 'an octet in place of the last CR',
    parts: {
      framing: 'Transfer-Encoding: chunked\r\n',
      body: '{hex}\r\n{json}\r\n0\r\n§\n',
      only: 'with body',
    },
    except: /^\r$/,
    allowed: nothing,
    refused: '400',
  },
]

/** Operations per octet. Each octet gets different operations, so all sweeps together cover every operation. */
const spread = 3

export const octetAttacks: readonly Attack[] = sweeps.flatMap((sweep) =>
  Array.from({ length: 256 }, (_, octet) => octet)
    .filter((octet) => sweep.except?.test(String.fromCharCode(octet)) !== true)
    .map((octet) => attackWith(sweep, octet)),
)

function attackWith({ why, parts, allowed, refused }: Sweep, octet: number): Attack {
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
    expected: allowed.test(character) ? 'forwarded' : refused,
    spread,
    ...Object.fromEntries(entries),
  }
}
