import type { Attack } from '../attack.ts'

const missing = [
  ['HEAD', 'a GET without its answer, which frameworks add by themselves'],
  ['OPTIONS', 'what a proxy forwards without a key'],
  ['PATCH', 'a change that no document has'],
  ['TRACE', 'shows the fields that the gateway adds'],
  ['PROPFIND', 'a method of WebDAV'],
  ['DELETE', 'where the path has no DELETE'],
  ['PUT', 'where the path has no PUT'],
  ['POST', 'where the path has no POST'],
  ['GET', 'where the path has no GET'],
] as const

const unknown = [
  ['FOO', 'no method at all'],
  ['get', 'methods have a case'],
  ['Get', 'methods have a case'],
  ['QUERY', 'a method with a body that some take for GET'],
  ['GETX', 'begins like one'],
  ['XGET', 'ends like one'],
  ['PRI', 'the preface of HTTP/2'],
  ['SOURCE', 'a method of a streaming server'],
  ['PURGE', 'empties a cache'],
  ['M-SEARCH', 'a method with a hyphen'],
  ['CONNECT', 'opens a tunnel'],
] as const

const overrides = [
  'X-HTTP-Method-Override',
  'X-HTTP-Method',
  'X-Method-Override',
  'X-HTTP-METHOD-OVERRIDE',
] as const

export const methodAttacks: readonly Attack[] = [
  ...missing.map(
    ([method, why]): Attack => ({
      kind: 'method',
      method,
      why,
      framing: '',
      body: '',
      expected: '405',
    }),
  ),
  ...unknown.map(
    ([method, why]): Attack => ({
      kind: 'method',
      method,
      why,
      framing: '',
      body: '',
      expected: 'refused',
    }),
  ),
  ...overrides.map(
    (name): Attack => ({
      kind: 'method',
      why: 'a backend that believes it runs another method than the one counted',
      fields: `${name}: evil\r\n`,
      expected: 'forwarded',
    }),
  ),
  {
    kind: 'method',
    why: 'after an upgrade no octets are counted',
    fields: 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n',
    expected: '400 UPGRADE_REFUSED',
    mustClose: true,
  },
  {
    kind: 'method',
    why: 'HTTP/2 over plain text goes past a reader of HTTP/1.1',
    fields:
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
    expected: '400 UPGRADE_REFUSED',
    mustClose: true,
  },
  {
    kind: 'method',
    why: 'an upgrade without Connection, which some honour',
    fields: 'Upgrade: h2c\r\n',
    expected: '400 UPGRADE_REFUSED',
    mustClose: true,
  },
  {
    kind: 'method',
    why: 'the whole server: our own answer, uncounted',
    raw: 'OPTIONS * HTTP/1.1\r\nHost: bank.example\r\nUser-Agent: {mark}\r\n\r\n',
    expected: 'own 204',
    only: 'one',
  },
  {
    kind: 'method',
    why: 'an unread body becomes the next request',
    raw: 'OPTIONS * HTTP/1.1\r\nHost: bank.example\r\nUser-Agent: {mark}\r\nContent-Length: {smuggledLength}\r\n\r\n{smuggled}',
    expected: '400 FRAMING_INVALID',
    mustClose: true,
    only: 'one',
  },
  {
    kind: 'method',
    why: 'a tunnel through which requests would go uncounted',
    raw: 'CONNECT bank.example:443 HTTP/1.1\r\nHost: bank.example:443\r\nUser-Agent: {mark}\r\n\r\n{smuggled}',
    expected: '501 NOT_IMPLEMENTED',
    mustClose: true,
    only: 'one',
  },
  {
    kind: 'method',
    why: 'the preface of HTTP/2 with its frames',
    raw: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0',
    expected: '505 HTTP_VERSION',
    mustClose: true,
    only: 'one',
  },
]
