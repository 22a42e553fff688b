import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import {
  callHeaders,
  callUrl,
  draftCall,
  idsIn,
  missingValues,
} from '../../src/portal-ui/calls/call-draft.ts'
import { callShape } from '../../src/portal-ui/calls/call-shape.ts'
import { curlLine } from '../../src/portal-ui/calls/curl-line.ts'
import { firstCalls } from '../../src/portal-ui/calls/first-calls.ts'
import { withFutureDates } from '../../src/portal-ui/calls/future-dates.ts'
import { newApplication, registryBeside, runTollgate } from '../support/tollgate.ts'

const catalogue = await loadCatalogue(fileURLToPath(new URL('../../config', import.meta.url)))
const versions = [...catalogue.versions.values()]

/** The words a POSIX shell makes of a command. */
function wordsOf(command: string): string[] {
  const print = 'curl() { printf "%s\\0" "$@"; }\n'
  return execFileSync('sh', ['-c', `${print}${command}`])
    .toString()
    .split('\0')
    .slice(0, -1)
}

t.test('every operation offered for a first call works as drafted, with a new key', async (t) => {
  const { urls, dataDir } = await runTollgate(t)
  const { key } = await newApplication(await registryBeside(t, dataDir), 'First calls')
  for (const { api, version, document, operations } of versions) {
    const shapes = firstCalls(document, operations)
    t.ok(shapes.length > 0, `${api} ${version} has one`)
    for (const shape of shapes) {
      const draft = draftCall(shape)
      const answer = await fetch(callUrl(urls.gateway, draft), {
        method: shape.method,
        headers: callHeaders(draft, key).map(([name, value]): [string, string] => [name, value]),
        ...(draft.body === '' ? {} : { body: draft.body }),
      })
      t.equal(answer.status, 201, `${shape.operation} of ${api} ${version}: ${await answer.text()}`)
    }
  }
})

t.test('an operation that needs an id waits for it, and finds it in the answer', async (t) => {
  const xs2a = catalogue.versions.get('xs2a@1.7.0')
  if (xs2a === undefined) throw new Error('not published')
  const operation = xs2a.operations.find(({ id }) => id === 'getConsentAuthorisation')
  if (operation === undefined) throw new Error('not published')
  const shape = callShape(xs2a.document, operation)
  t.same(missingValues(draftCall(shape)), ['consentId', 'authorisationId'])

  const paths = xs2a.operations.map(({ path }) => path)
  const answer = JSON.stringify({
    consentId: 'c-1',
    items: [{ paymentId: 'not-this' }],
    _links: { scaStatus: { href: '/v1.7.0/consents/c-1/authorisations/a-2' } },
  })
  const known = idsIn(answer, paths)
  t.same(known, { consentid: 'c-1', authorisationid: 'a-2' })
  const draft = draftCall(shape, known)
  t.same(missingValues(draft), [])
  t.match(callUrl('http://gateway', draft), /\/v1\.7\.0\/consents\/c-1\/authorisations\/a-2$/)
  t.same(idsIn('no JSON', paths), {})
})

t.test('the command means to a shell what the call is, whatever its values hold', async (t) => {
  const hostile = `'; echo $(id) \`id\` "x" \\ \n*{a,b}`
  const command = curlLine(
    'http://gateway',
    {
      shape: {
        operation: 'make',
        method: 'POST',
        path: '/v1/things/{thing}',
        summary: 'Make',
        parameters: [
          { name: 'thing', place: 'path', isRequired: true, purpose: '', example: '', choices: [] },
          { name: 'q', place: 'query', isRequired: false, purpose: '', example: '', choices: [] },
          { name: 'X', place: 'header', isRequired: false, purpose: '', example: '', choices: [] },
        ],
        body: { mediaType: 'text/plain', examples: [] },
      },
      values: { 'path thing': hostile, 'query q': hostile, 'header X': hostile },
      body: hostile,
    },
    'tg_key',
  )
  const encoded = encodeURIComponent(hostile)
  const query = new URLSearchParams({ q: hostile })
  t.same(wordsOf(command), [
    '-i',
    '-g',
    '-X',
    'POST',
    `http://gateway/v1/things/${encoded}?${query}`,
    '-H',
    'X-API-Key: tg_key',
    '-H',
    `X: ${hostile}`,
    '-H',
    'Content-Type: text/plain',
    '--data-raw',
    hostile,
  ])
})

t.test(
  'every parameter and body example of every operation is found in its document',
  async (t) => {
    for (const { document, operations, version } of versions) {
      for (const operation of operations) {
        const { parameters, body } = callShape(document, operation)
        const inPath = parameters.filter(({ place }) => place === 'path').map(({ name }) => name)
        const wanted = [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
        t.same(inPath.toSorted(), wanted.toSorted(), `${operation.id} ${version}`)
        t.ok(parameters.some(({ name, isRequired }) => name === 'X-Request-ID' && isRequired))
        t.equal(body !== undefined, operation.hasBody)
        if (body !== undefined) t.ok(body.examples.length > 0, 'has an example')
      }
    }
  },
)

t.test('days of an example that have passed move on together by whole years', async (t) => {
  const example = {
    from: '2026-12-10',
    to: ['2028-12-10', '9999-12-31'],
    leap: '2028-02-29',
    at: '2026-12-10T10:00:00Z',
    amount: 9,
  }
  t.same(withFutureDates(example, '2026-12-10'), example, 'none has passed')
  t.same(withFutureDates(example, '2027-03-01'), {
    ...example,
    from: '2027-12-10',
    to: ['2029-12-10', '9999-12-31'],
    leap: '2029-02-28',
  })
  t.match(withFutureDates(example, '2027-12-11'), { from: '2028-12-10' })
  t.equal(withFutureDates('text', '2027-12-11'), 'text')
})
