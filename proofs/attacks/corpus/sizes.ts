import type { Attack } from '../attack.ts'

const chunkedJson = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
const mebibyte = 1_048_576
const many = (count: number, line: string): string => line.repeat(count)

export const sizeAttacks: readonly Attack[] = [
  {
    ...{ kind: 'size', why: 'one field more than allowed', expected: '431 HEADERS_TOO_LARGE' },
    fields: many(100, 'A: b\r\n'),
    spread: 12,
  },
  {
    ...{ kind: 'size', why: 'as many small fields as fit: a table that collides', spread: 12 },
    fields: many(2_000, 'A: b\r\n'),
    expected: '431 HEADERS_TOO_LARGE',
  },
  {
    ...{ kind: 'size', why: 'one field longer than a header block', spread: 12 },
    fields: `X-A: ${'b'.repeat(17_000)}\r\n`,
    expected: '431 HEADERS_TOO_LARGE',
  },
  {
    ...{ kind: 'size', why: 'a name longer than a header block', spread: 12 },
    fields: `${'X'.repeat(17_000)}: b\r\n`,
    expected: '431 HEADERS_TOO_LARGE',
  },
  {
    ...{ kind: 'size', why: 'a long field that fits', expected: 'forwarded', spread: 12 },
    fields: `X-A: ${'b'.repeat(14_000)}\r\n`,
  },
  {
    ...{
      kind: 'size',
      why: 'a long field that passes to the backend',
      expected: 'forwarded',
      spread: 12,
    },
    fields: `Accept: ${'b'.repeat(14_000)}\r\n`,
  },
  {
    ...{ kind: 'size', why: 'a long list of fields to remove', expected: 'forwarded', spread: 12 },
    fields: `Connection: ${'x-a,'.repeat(3_000)}\r\n`,
  },
  {
    ...{ kind: 'size', why: 'a long list of addresses', expected: 'forwarded', spread: 12 },
    fields: `X-Forwarded-For: ${'10.0.0.1, '.repeat(1_400)}10.0.0.1\r\n`,
  },
  {
    ...{ kind: 'size', why: 'a pattern that could be tried in many ways', spread: 12 },
    framing: `Content-Type: a/b${'; a="'.repeat(2_001)}\r\nContent-Length: 2\r\n`,
    body: '{}',
    of: 'with body',
    expected: '400 HEADERS_INVALID',
  },
  {
    ...{ kind: 'size', why: 'a long path that is nearly right', spread: 12 },
    target: `/{version}/${'accounts'.repeat(240)}`,
    expected: '404 NOT_FOUND',
  },
  {
    ...{ kind: 'size', why: 'a long method', expected: 'refused', spread: 12 },
    line: `${'A'.repeat(5_000)} /{version}/{path} HTTP/1.1\r\n`,
  },
  {
    ...{ kind: 'size', why: 'declared one octet above the limit', spread: 12, of: 'with body' },
    framing: `Content-Length: ${mebibyte + 1}\r\n`,
    body: 'x',
    expected: '413 BODY_TOO_LARGE',
    closes: true,
  },
  {
    ...{ kind: 'size', why: 'declares 10 GiB', spread: 12, of: 'with body' },
    framing: 'Content-Length: 10737418240\r\n',
    body: 'x'.repeat(1_000),
    expected: '413 BODY_TOO_LARGE',
    closes: true,
  },
  {
    ...{ kind: 'size', why: 'the largest body', expected: 'forwarded', spread: 2, of: 'with body' },
    framing: `Content-Length: ${mebibyte}\r\n`,
    body: 'x'.repeat(mebibyte),
  },
  {
    ...{ kind: 'size', why: 'chunks above the limit', spread: 2, of: 'with body' },
    framing: chunkedJson,
    body: `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(17),
    expected: '413 BODY_TOO_LARGE',
    closes: true,
  },
  {
    ...{ kind: 'size', why: 'a chunk of 2^32 octets: 0 to some', spread: 2, of: 'with body' },
    framing: chunkedJson,
    body: `100000000\r\n${'x'.repeat(mebibyte + 1)}`,
    expected: '413 BODY_TOO_LARGE',
    closes: true,
  },
  {
    ...{ kind: 'size', why: '60,000 chunks of one octet: each costs the parser', spread: 4 },
    of: 'with body',
    framing: chunkedJson,
    body: `${'1\r\nx\r\n'.repeat(60_000)}0\r\n\r\n`,
    expected: '400 FRAMING_INVALID',
    closes: true,
  },
  {
    ...{ kind: 'size', why: 'the same without a key: the rest is not parsed', spread: 4 },
    of: 'with body',
    key: '',
    framing: chunkedJson,
    body: `${'1\r\nx\r\n'.repeat(60_000)}0\r\n\r\n`,
    expected: '401 KEY_MISSING',
    closes: true,
  },
  {
    ...{ kind: 'size', why: '160 KB of chunk extensions, 8 KB each', spread: 4 },
    of: 'with body',
    framing: chunkedJson,
    body: `${`5;${'a'.repeat(8_192)}\r\nabcde\r\n`.repeat(20)}0\r\n\r\n`,
    expected: '400 FRAMING_INVALID',
    closes: true,
  },
  {
    ...{ kind: 'size', why: '15 KB of chunk extensions are allowed', spread: 4 },
    of: 'with body',
    framing: chunkedJson,
    body: `${`5;${'a'.repeat(500)}\r\nabcde\r\n`.repeat(30)}0\r\n\r\n`,
    expected: 'forwarded',
  },
  {
    ...{ kind: 'size', why: 'a large body in chunks of 512 octets is allowed', spread: 4 },
    of: 'with body',
    framing: chunkedJson,
    body: `${`200\r\n${'x'.repeat(512)}\r\n`.repeat(2_000)}0\r\n\r\n`,
    expected: 'forwarded',
  },
  {
    ...{ kind: 'size', why: 'a trailer longer than a header block', spread: 4, of: 'with body' },
    framing: chunkedJson,
    body: `0\r\n${`X-A: ${'b'.repeat(1_000)}\r\n`.repeat(20)}\r\n`,
    expected: 'refused',
    closes: true,
  },
  {
    ...{
      kind: 'size',
      why: 'a body that grows when it is decompressed: it stays as it is',
      spread: 4,
    },
    of: 'with body',
    framing: 'Content-Encoding: gzip\r\nContent-Length: 20\r\n',
    body: '\x1f\x8b\b\0\0\0\0\0\0\u0003\u00cbH\u00cd\u00c9\u00c9\u0007\0\u0086\xa6\u0010',
    expected: 'forwarded',
  },
]
