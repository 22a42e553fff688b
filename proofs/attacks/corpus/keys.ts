import type { Attack, Outcome } from '../attack.ts'

const missing = '401 KEY_MISSING'
const unknown = '401 KEY_INVALID'
const doubled = '400 HEADERS_INVALID'

/** Lines in place of `X-API-Key: {key}`. */
const keys: readonly (readonly [key: string, expected: Outcome, why: string])[] = [
  ['', missing, 'no key'],
  ['X-API-Key:\r\n', missing, 'an empty key'],
  ['X-API-Key: unknown\r\n', unknown, 'an unknown key'],
  ['X-API-Key: {key}x\r\n', unknown, 'a known key with one more octet'],
  ['X-API-Key: TG_1\r\n', unknown, 'another case'],
  ['X-API-Key: "{key}"\r\n', unknown, 'quoted'],
  ['X-API-Key: {key}, {key}\r\n', unknown, 'a list'],
  ['X-API-Key: {key};\r\n', unknown, 'a parameter'],
  ['X-API-Key: {key} x\r\n', unknown, 'a blank and more'],
  ['X-API-Key: *\r\n', unknown, 'a wildcard'],
  ["X-API-Key: ' or '1'='1\r\n", unknown, 'a condition of a database'],
  ['X-API-Key: ../../{key}\r\n', unknown, 'a path'],
  ['X-API-Key: {key}\\r\\nX: y\r\n', unknown, 'a line end that a store decodes'],
  ['X-API-Key: constructor\r\n', unknown, 'the name of a member that every object has'],
  ['X-API-Key: __proto__\r\n', unknown, 'the name of the prototype'],
  ['X-API-Key: k\u00e9y\r\n', unknown, 'an octet above 127'],
  [`X-API-Key: ${'k'.repeat(10_240)}\r\n`, unknown, 'a long key'],
  ['X-API-Key: {key}\r\nX-API-Key: {key}\r\n', doubled, 'the key twice'],
  [
    'X-API-Key: unknown\r\nX-API-Key: {key}\r\n',
    doubled,
    'two keys: one is checked, the other logged',
  ],
  ['X-API-Key: {key}\r\nx-api-key: unknown\r\n', doubled, 'two keys in two spellings'],
  ['X-API-Key: {key}\r\nX-IBM-Client-Id: {key}\r\n', doubled, 'the key under both its names'],
  ['X-API-Key:\r\nX-API-Key: {key}\r\n', doubled, 'an empty key and a key'],
  ['X_API_Key: {key}\r\n', doubled, 'an underscore'],
  ['Authorization: Bearer {key}\r\n', missing, 'another scheme'],
  ['Authorization: ApiKey {key}\r\n', missing, 'the scheme of the challenge'],
  ['Cookie: X-API-Key={key}\r\n', missing, 'a cookie, which other sites can make a browser send'],
  ['API-Key: {key}\r\n', missing, 'another name'],
  ['X-IBM-Client-Id: {key}\r\n', 'forwarded', 'its other name'],
  ['x-ApI-kEy: {key}\r\n', 'forwarded', 'names have no case'],
  ['X-API-Key:\t {key} \t\r\n', 'forwarded', 'white space around a value is not part of it'],
]

/** Keys in a query end up in logs. */
const queries = [
  'api_key={key}',
  'apikey={key}',
  'api-key={key}',
  'x-api-key={key}',
  'X-API-Key={key}',
  'X_API_KEY={key}',
  'x-ibm-client-id={key}',
  'a=b&api_key=c',
  'a&b&apikey=',
  'q=tg_AbCdEf123456_secret',
  'q=xtg_AbCdEf123456_secret',
  'tg_AbCdEf123456_secret',
  'tg_AbCdEf123456_secret=1',
  'q=tg%5FAbCdEf123456%5fsecret',
  'q=%74%67_AbCdEf123456_s',
  'q=%74%67%5F%41bCdEf123456%5Fsecret',
  'x%2Dapi%2Dkey=abc',
  'a=%ff&X-IBM%2dClient-Id=abc',
  '%61pi_key=abc',
]

export const keyAttacks: readonly Attack[] = [
  ...keys.map(([key, expected, why]): Attack => ({ kind: 'key', key, expected, why })),
  ...queries.map(
    (query): Attack => ({
      kind: 'key',
      expected: missing,
      why: 'a key in the query, which every hop writes to its log',
      target: `/{version}/{path}?${query}`,
    }),
  ),
  {
    kind: 'key',
    why: 'asks before it sends a body, without a key: 100 Continue would invite it',
    key: '',
    fields: 'Expect: 100-continue\r\n',
    expected: missing,
    only: 'with body',
  },
  {
    kind: 'key',
    why: 'the same with an unknown key',
    key: 'X-API-Key: unknown\r\n',
    fields: 'Expect: 100-continue\r\n',
    expected: unknown,
    only: 'with body',
  },
]
