import type { Attack } from '../attack.ts'

const post = (fields: string, body: string, query = ''): string =>
  `POST /v1.7.0/consents${query} HTTP/1.1\r\nHost: bank.example\r\nX-API-Key: {key}\r\nUser-Agent: {mark}\r\n${fields}\r\n${body}`
const expecting = 'Expect: 100-continue\r\nContent-Length: {length}\r\n'
const unknownGet =
  'GET /v1.7.0/accounts HTTP/1.1\r\nHost: bank.example\r\nX-API-Key: unknown\r\nUser-Agent: {mark}\r\n\r\n'
const last =
  'GET /v1.7.0/accounts HTTP/1.1\r\nHost: bank.example\r\nX-API-Key: {key}\r\nUser-Agent: {mark}\r\nConnection: close\r\n\r\n'

type Row = Pick<Attack, 'why' | 'expected' | 'raw' | 'mustClose' | 'continued'>

/** Requests that come before their answers: each must get its own, in order, and nothing between them. */
const rows: readonly Row[] = [
  { why: 'two requests at once', raw: '{get}{get}', expected: ['forwarded', 'forwarded'] },
  {
    why: 'ten requests at once',
    raw: '{get}'.repeat(10),
    expected: Array.from({ length: 10 }, () => 'forwarded' as const),
  },
  {
    why: 'a fast answer waits for the slow one before it',
    raw: '{slow}{get}',
    expected: ['forwarded', 'forwarded'],
  },
  {
    why: 'a refusal waits for the slow answer before it',
    raw: `{slow}${unknownGet}`,
    expected: ['forwarded', '401 KEY_INVALID'],
  },
  {
    why: 'octets that cannot be read get no answer before the slow one',
    raw: '{slow}GARBAGE\r\n\r\n',
    expected: 'forwarded',
    mustClose: true,
  },
  {
    why: 'CONNECT gets no answer before the slow one',
    raw: '{slow}CONNECT bank.example:443 HTTP/1.1\r\nHost: bank.example:443\r\n\r\n',
    expected: ['forwarded', '501'],
    mustClose: true,
  },
  {
    why: '100 Continue within the slow answer before it would be read as part of that',
    raw: `{slow}${post(expecting, '{json}')}`,
    expected: ['forwarded', 'forwarded'],
    continued: [1],
  },
  {
    why: 'the same, refused: no 100 Continue at all',
    raw: `{slow}${post(expecting, '{json}').replace('{key}', 'unknown')}`,
    expected: ['forwarded', '401 KEY_INVALID'],
  },
  {
    why: 'a body that comes before 100 Continue leaves the connection to the next call',
    raw: `{slow}${post(expecting, '{json}')}{get}`,
    expected: ['forwarded', 'forwarded', 'forwarded'],
    continued: [1],
  },
  {
    why: 'a client that asks first gets 100 Continue once, and then its answer',
    raw: post(expecting, '{json}'),
    expected: 'forwarded',
    continued: [0],
  },
  {
    why: 'HTTP/1.0 has no 100 Continue',
    raw: post(expecting, '{json}').replace('HTTP/1.1', 'HTTP/1.0'),
    expected: 'forwarded',
  },
  {
    why: 'what follows the last request of a connection is not served (RFC 9112, 9.6)',
    raw: `${last}{smuggled}`,
    expected: 'forwarded',
    mustClose: true,
  },
  {
    why: 'nor what follows a request of HTTP/1.0',
    raw: `${last.replace('HTTP/1.1', 'HTTP/1.0').replace('Connection: close\r\n', '')}{smuggled}`,
    expected: 'forwarded',
    mustClose: true,
  },
  {
    why: 'a refusal that closes the connection is the last answer',
    raw: `${post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')}{smuggled}`,
    expected: '400',
    mustClose: true,
  },
  {
    why: 'a refused request with a body: the body is no request',
    raw: `${post('Content-Length: {smuggledLength}\r\n', '{smuggled}').replace('{key}', 'unknown')}`,
    expected: '401 KEY_INVALID',
  },
  {
    why: 'the same with a chunked body',
    raw: `${post('Transfer-Encoding: chunked\r\n', '{smuggledHex}\r\n{smuggled}\r\n0\r\n\r\n').replace('{key}', 'unknown')}`,
    expected: '401 KEY_INVALID',
  },
  {
    why: 'a body behind a refused expectation',
    raw: post('Expect: nonsense\r\nContent-Length: {smuggledLength}\r\n', '{smuggled}'),
    expected: '417 EXPECTATION_FAILED',
  },
  {
    why: 'a body to a path that does not exist',
    raw: post('Content-Length: {smuggledLength}\r\n', '{smuggled}').replace(
      '/consents',
      '/nothing',
    ),
    expected: '404 NOT_FOUND',
  },
  {
    why: 'an upload behind a slow answer',
    raw: `{slow}${post('Content-Length: {length}\r\n', '{json}')}{get}`,
    expected: ['forwarded', 'forwarded', 'forwarded'],
  },
  {
    why: 'empty lines between requests',
    raw: '{get}\r\n{get}',
    expected: ['forwarded', 'forwarded'],
  },
  {
    why: 'two answers cross when the first backend connection is slow',
    raw: '{slow}{slow}{get}',
    expected: ['forwarded', 'forwarded', 'forwarded'],
  },
]

/** Sent many times, so that they meet other exchanges on the connections to the backend. */
const times = 20

export const pipelineAttacks: readonly Attack[] = rows.flatMap((row) =>
  Array.from({ length: times }, (): Attack => ({ kind: 'pipeline', only: 'one', ...row })),
)
