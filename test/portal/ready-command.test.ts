import { execFileSync } from 'node:child_process'
import t from 'tap'
import { createServedDocument } from '../../src/portal/documents/served-document.ts'
import { curlSample } from '../../src/portal/samples/curl-sample.ts'
import {
  callHeaders,
  callUrl,
  draftCall,
  idsIn,
  missingValues,
} from '../../src/portal-ui/calls/call-draft.ts'
import { callShape } from '../../src/portal-ui/calls/call-shape.ts'
import { firstCalls } from '../../src/portal-ui/calls/first-calls.ts'
import { waysOn } from '../../src/portal-ui/calls/next-calls.ts'
import { accountsOperation, draftOfAccounts } from '../../src/portal-ui/calls/read-accounts.ts'
import { sampleOfDraft } from '../../src/portal-ui/calls/sample-of-draft.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'
import { newApplication, registryBeside, runTollgate } from '../support/tollgate.ts'

const catalogue = await publishedCatalogue()
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
  // As the portal serves them: the days in their examples move along.
  const served = createServedDocument({
    gatewayUrl: () => urls.gateway,
    now: Date.now,
    hasDrills: () => false,
  })
  for (const published of versions) {
    const { api, version, operations } = published
    const document = served(published)
    const shapes = firstCalls(operations.map((operation) => callShape(document, operation)))
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
  const shape = callShape(xs2a.document.read(), operation)
  t.same(missingValues(draftCall(shape)), ['consentId', 'authorisationId'])

  const shapes = xs2a.operations.map((each) => callShape(xs2a.document.read(), each))
  const answer = JSON.stringify({
    consentId: 'c-1',
    items: [{ paymentId: 'not-this' }],
    _links: { scaStatus: { href: '/v1.7.0/consents/c-1/authorisations/a-2' } },
  })
  const known = idsIn(answer, shapes)
  t.same(known, { consentid: 'c-1', authorisationid: 'a-2' })
  const draft = draftCall(shape, known)
  t.same(missingValues(draft), [])
  t.match(callUrl('http://gateway', draft), /\/v1\.7\.0\/consents\/c-1\/authorisations\/a-2$/)
  t.same(idsIn('no JSON', shapes), {})
})

t.test('the command that reads the accounts is the call of the page, the customer present', (t) => {
  for (const version of versions) {
    const { operations } = version
    const document = version.document.read()
    const operation = accountsOperation(operations)
    if (operation === undefined) continue
    const draft = draftOfAccounts(callShape(document, operation), 'c-1')
    const headers = callHeaders(draft, 'key-1')
    const names = headers.map(([name]) => name)
    for (const name of ['X-Request-ID', 'Consent-ID', 'PSU-IP-Address']) t.ok(names.includes(name))
    const sample = sampleOfDraft({ gatewayUrl: 'http://gateway', draft, key: 'key-1' })
    const words = wordsOf(sample === undefined ? '' : curlSample(sample))
    t.same(words, [
      '-i',
      callUrl('http://gateway', draft),
      ...headers.flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ])
  }
  t.end()
})

t.test(
  'an answer offers next steps: what the customer approves with, its other links, and calls that use its ids',
  async (t) => {
    const xs2a = catalogue.versions.get('xs2a@1.7.0')
    if (xs2a === undefined) throw new Error('not published')
    const shapes = xs2a.operations.map((each) => callShape(xs2a.document.read(), each))
    const ways = (answer: object) => {
      const text = JSON.stringify(answer)
      return waysOn(text, idsIn(text, shapes), shapes)
    }
    const consent = ways({
      consentId: 'c-1',
      _links: {
        self: { href: '/v1.7.0/consents/c-1' },
        status: { href: '/v1.7.0/consents/c-1/status' },
        updatePsuAuthentication: { href: '/v1.7.0/consents/c-1/authorisations/a-1' },
        scaRedirect: { href: 'https://bank.example/approve' },
        elsewhere: { href: 'https://evil.example/' },
      },
    })
    t.equal(consent.approvalPage, 'https://bank.example/approve')
    t.match(
      consent.calls.map(({ shape, ids }) => [shape.method, shape.operation, ids['consentid']]),
      [
        ['PUT', 'updateConsentAuthorisation', 'c-1'],
        ['GET', 'getConsentStatus', 'c-1'],
        ['GET', 'listAccounts', 'c-1'],
      ],
    )
    const accounts = ways({
      accounts: [
        { name: 'Daily', _links: { balances: { href: '/v1.7.0/accounts/a-1/balances' } } },
        {
          name: 'Savings',
          _links: {
            transactions: { href: '/v1.7.0/accounts/a-2/transactions?bookingStatus=both' },
          },
        },
      ],
    })
    t.match(
      accounts.calls.map(({ of, ids, query }) => [of, ids['accountid'], query]),
      [
        ['Daily', 'a-1', {}],
        ['Savings', 'a-2', { bookingStatus: 'both' }],
      ],
    )
    const hostile = ways({ _links: { scaRedirect: { href: 'javascript:alert(1)' } } })
    t.same(hostile, { calls: [], approvalPage: undefined })
    t.same(waysOn('no JSON', {}, shapes), { calls: [], approvalPage: undefined })
  },
)

t.test('the command means to a shell what the call is, whatever its values hold', async (t) => {
  const hostile = `'; echo $(id) \`id\` "x" \\ \n*{a,b}`
  const draft = {
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
      body: { mediaType: 'application/json', examples: [] },
    },
    values: { 'path thing': hostile, 'query q': hostile, 'header X': hostile },
    body: JSON.stringify({ hostile }),
  } as const
  const options = { gatewayUrl: 'http://gateway', key: 'tg_key' }
  const sample = sampleOfDraft({ ...options, draft })
  if (sample === undefined) throw new Error('its body is JSON')
  const encoded = encodeURIComponent(hostile)
  const query = new URLSearchParams({ q: hostile })
  t.same(wordsOf(curlSample(sample)), [
    '-i',
    '-X',
    'POST',
    `http://gateway/v1/things/${encoded}?${query}`,
    '-H',
    'X-API-Key: tg_key',
    '-H',
    `X: ${hostile}`,
    '-H',
    'Content-Type: application/json',
    '--data',
    `{"hostile": ${JSON.stringify(hostile)}}`,
  ])
  t.equal(sampleOfDraft({ ...options, draft: { ...draft, body: 'no JSON' } }), undefined)
})

t.test(
  'every parameter and body example of every operation is found in its document',
  async (t) => {
    for (const published of versions) {
      const { operations, version } = published
      const document = published.document.read()
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
