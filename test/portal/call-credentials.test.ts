import t from 'tap'
import { curlSample } from '../../src/portal/samples/curl-sample.ts'
import {
  callHeaders,
  callUrl,
  draftCall,
  missingValues,
} from '../../src/portal-ui/calls/call-draft.ts'
import { callShape } from '../../src/portal-ui/calls/call-shape.ts'
import { sampleOfDraft } from '../../src/portal-ui/calls/sample-of-draft.ts'

const listed = { id: 'read', method: 'GET', path: '/v1/a', summary: '' }

function documentOf(security: readonly object[], operation: object = {}) {
  return {
    security,
    components: {
      securitySchemes: {
        gatewayKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        token: { type: 'http', scheme: 'bearer', description: 'From the bank. Lasts an hour.' },
        login: { type: 'oauth2', flows: {} },
        user: { type: 'http', scheme: 'basic' },
        own: { type: 'apiKey', in: 'header', name: 'Own-Key' },
        query: { type: 'apiKey', in: 'query', name: 'api_key' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
        mutual: { type: 'mutualTLS' },
        digest: { type: 'http', scheme: 'Digest' },
        underscore: { type: 'apiKey', in: 'header', name: 'own_key' },
        edge: { type: 'apiKey', in: 'header', name: 'Client-Id' },
      },
    },
    paths: { '/a': { get: { operationId: 'read', ...operation } } },
  }
}

const fieldsOf = (document: object) =>
  callShape(document, listed).parameters.map(
    ({ place, name, isRequired, example }) =>
      `${place} ${name}${isRequired ? ' required' : ''} ${example}`,
  )

t.test("the playground asks for the API's own credentials, and not for the gateway's key", (t) => {
  t.same(fieldsOf(documentOf([{ gatewayKey: [], token: [], own: [] }])), [
    'header Authorization required Bearer …',
    'header Own-Key required ',
  ])
  t.same(
    fieldsOf(documentOf([{ token: [] }, { login: [], query: [], cookie: [] }])),
    ['header Authorization required Bearer …', 'query api_key '],
    'each alternative has a token, and only one has the key',
  )
  t.same(fieldsOf(documentOf([{ token: [] }], { security: [{ user: [] }, {}] })), [
    'header Authorization Basic …',
  ])
  t.same(fieldsOf(documentOf([{ token: [] }], { security: [] })), [])
  t.same(fieldsOf(documentOf([{ mutual: [] }, { token: [] }])), ['header Authorization Bearer …'])
  t.same(fieldsOf(documentOf([{ digest: [] }])), ['header Authorization required Digest …'])
  t.same(fieldsOf(documentOf([{ underscore: [], edge: [] }])), [], 'they would reach no backend')
  const parameters = [{ name: 'authorization', in: 'header', required: true, example: 'Bearer a' }]
  t.same(
    fieldsOf(documentOf([{ token: [] }], { parameters })),
    ['header authorization required Bearer a'],
    'a parameter says it already',
  )
  const [token] = callShape(documentOf([{ token: [] }]), listed).parameters
  t.equal(token?.purpose, 'From the bank.')
  t.end()
})

t.test('a credential is missing until it is entered; then call and sample have it', (t) => {
  const shape = callShape(documentOf([{ token: [], query: [] }]), listed)
  const empty = draftCall(shape)
  t.same(missingValues(empty), ['Authorization', 'api_key'])
  const values = { 'header Authorization': 'Bearer t', 'query api_key': 'q' }
  const draft = { ...empty, values }
  t.same(callHeaders(draft, 'k'), [
    ['X-API-Key', 'k'],
    ['Authorization', 'Bearer t'],
  ])
  t.equal(callUrl('https://gateway', draft), 'https://gateway/v1/a?api_key=q')
  const sample = sampleOfDraft({ gatewayUrl: 'https://gateway', draft, key: 'k' })
  t.match(sample && curlSample(sample), /Authorization: Bearer t/)
  t.end()
})

t.test('the call is that of its own path, where two operations have one id', (t) => {
  const parameters = [{ name: 'q', in: 'query' }]
  const document = {
    paths: {
      '/b': { get: { operationId: 'read' } },
      '/a': { post: { operationId: 'read' }, get: { operationId: 'read', parameters } },
    },
  }
  t.same(fieldsOf(document), ['query q '])
  t.end()
})
