import t from 'tap'
import { namesTwice } from '../../src/portal/api/names-twice.ts'

t.test('a document that names a member twice is detected', async (t) => {
  const once = [
    '{}',
    '[]',
    '1',
    '"a:b,{}"',
    '{"a":":","b":"\\":\\"","c":"\\\\"}',
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
    ' { "a" : [ ] , "b" : null } ',
    '{"10":1,"9":2,"":3}',
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  ]
  for (const text of once) t.notOk(namesTwice(text, JSON.parse(text)), text.slice(0, 60))
  const twice = [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"b":{"a":1,"a":2}}',
    '[{"a":":","a":"\\\\"}]',
    '{"":1,"":2}',
    `${'['.repeat(1_000)}{"a":1,"a":2}${']'.repeat(1_000)}`,
  ]
  for (const text of twice) t.ok(namesTwice(text, JSON.parse(text)), text.slice(0, 60))
})
