import t from 'tap'
import { wordsOf } from '../../src/messages/words.ts'
import { problemIn, readableBody } from '../../src/portal-ui/calls/readable-body.ts'

const read = (body: string) => readableBody({ mediaType: 'application/json', body }).text

t.test('what an answer says is laid out, and nothing of it rewritten', async (t) => {
  t.equal(
    read('{"amount":1.10,"big":12345678901234567890,"e":1E2,"list":[1,{"a":null}],"o":{},"l":[ ]}'),
    [
      '{',
      '  "amount": 1.10,',
      '  "big": 12345678901234567890,',
      '  "e": 1E2,',
      '  "list": [',
      '    1,',
      '    {',
      '      "a": null',
      '    }',
      '  ],',
      '  "o": {},',
      '  "l": []',
      '}',
    ].join('\n'),
  )
  t.equal(read('{"a":1,"a":2}'), '{\n  "a": 1,\n  "a": 2\n}', 'a name given twice stays twice')
  t.equal(
    read('"\\u00e9 \\" , : [ { \\\\"'),
    '"\\u00e9 \\" , : [ { \\\\"',
    'texts stay as they are',
  )
  t.equal(read('{"a": no JSON}'), '{"a": no JSON}', 'what is no JSON is left alone')
})

t.test('only a problem with a code of the gateway leads to its explanation', async (t) => {
  const codeIn = (type: string, code: string) => {
    const body = JSON.stringify({ type, code, detail: 'no' })
    return problemIn({ mediaType: 'application/problem+json', body }, wordsOf('en'))?.code
  }
  const ours = 'https://portal.example.com/problems/KEY_MISSING'
  t.equal(codeIn(ours, 'KEY_MISSING'), 'KEY_MISSING')
  t.equal(
    codeIn('https://iana.org/assignments/http-problem-types#quota-exceeded', 'QUOTA_EXCEEDED'),
    'QUOTA_EXCEEDED',
  )
  t.equal(codeIn('https://api.acme.com/problems/out-of-stock', 'out-of-stock'), undefined)
  t.equal(codeIn('https://api.acme.com/errors', 'KEY_MISSING'), undefined)
})
