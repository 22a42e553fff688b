import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { SampleCall } from '../../src/portal/samples/sample-call.ts'
import { sampleLanguages } from '../../src/portal/samples/sample-languages.ts'
import { languageMissing, languages, runSample } from '../support/run-sample.ts'

/** What means something in one of the languages. */
const hostile = `a'b"c\\d\\"e$HOME$(id)\`id\`\${1+1}{x}%s\\n!#é😀`

let callsArrived = 0

/** Answers every call with what arrived. */
const server = createServer((request, response) => {
  callsArrived += 1
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { method, url, headers } = request
    const body = Buffer.concat(chunks).toString()
    response.end(JSON.stringify({ method, url, headers, body }))
  })
}).listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => server.close())
// A server that listens on a port has such an address.
const { port } = server.address() as AddressInfo

for (const language of languages) {
  const skip = await languageMissing(language)
  const write = sampleLanguages.find(({ label }) => label === language)?.write

  t.test(`a sample in ${language} sends every text as it is`, { skip }, async (t) => {
    const inHeader = hostile.replace(/[^\x20-\x7e]/gu, '')
    const call: SampleCall = {
      method: 'PUT',
      url: [`http://127.0.0.1:${port}/a%20b/`, { variable: 'SOME_ID' }, '?x=1&y=%7B'],
      headers: [
        ['X-Plain', [inHeader]],
        ['X-Mixed', [inHeader, { variable: 'SOME_ID' }, inHeader]],
        ['X-Request-ID', [{ fresh: 'uuid' }]],
      ],
      bodies: [1, 2].map((number) => ({
        kind: 'object',
        members: [
          [hostile, { kind: 'text', text: [hostile] }],
          ['mixed', { kind: 'text', text: [hostile, { fresh: 'short' }, hostile] }],
          [
            'list',
            {
              kind: 'list',
              items: [true, false, null, number].map((value) => ({ kind: 'constant', value })),
            },
          ],
          ['none', { kind: 'object', members: [] }],
        ],
      })),
      before: [hostile],
      after: [hostile],
    }
    const output = await runSample({
      language,
      source: write?.(call) ?? '',
      folder: t.testdir(),
      variables: { SOME_ID: 'id-1' },
    })
    const arrived = [...output.matchAll(/\{"method".*\}/g)].map(([text]) => JSON.parse(text))
    t.equal(arrived.length, 2)
    for (const [index, { method, url, headers, body }] of arrived.entries()) {
      t.equal(method, 'PUT')
      t.equal(url, '/a%20b/id-1?x=1&y=%7B')
      t.equal(headers['x-plain'], inHeader)
      t.equal(headers['x-mixed'], `${inHeader}id-1${inHeader}`)
      t.equal(headers['content-type'], 'application/json')
      t.match(headers['x-request-id'], /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
      const { mixed, ...rest } = JSON.parse(body)
      t.same(rest, { [hostile]: hostile, list: [true, false, null, index + 1], none: {} })
      t.match(mixed.slice(hostile.length, -hostile.length), /^[0-9a-f]{8}$/i)
    }
    t.not(arrived[0].headers['x-request-id'], arrived[1].headers['x-request-id'])
  })
  t.test(
    `a sample in ${language} names a variable that is not set and sends nothing`,
    { skip },
    async (t) => {
      const call: SampleCall = {
        method: 'POST',
        url: [`http://127.0.0.1:${port}/`, { variable: 'SOME_ID' }],
        headers: [['X-API-Key', [{ variable: 'API_KEY' }]]],
        bodies: [
          { kind: 'object', members: [['id', { kind: 'text', text: [{ variable: 'OTHER_ID' }] }]] },
        ],
        before: [],
        after: [],
      }
      const all = { SOME_ID: 'id-1', API_KEY: 'key-1', OTHER_ID: 'id-2' }
      const sample = { language, source: write?.(call) ?? '', folder: t.testdir() }
      t.match(await runSample({ ...sample, variables: all }), '/id-1')
      const before = callsArrived
      for (const name of Object.keys(all)) {
        for (const missing of [undefined, '']) {
          const { [name]: _, ...others } = all as Record<string, string>
          const variables = missing === undefined ? others : { ...others, [name]: missing }
          const said = await runSample({ ...sample, variables }).then(
            () => 'it ran',
            ({ stderr }: { stderr: string }) => stderr,
          )
          t.match(said, new RegExp(`\\b${name}\\b`))
        }
      }
      t.equal(callsArrived, before)
    },
  )
}
