import t, { type Test } from 'tap'
import {
  type Contract,
  type ContractRequest,
  compileContracts,
} from '../../src/catalogue/contract.ts'
import { keptDocument } from '../../src/catalogue/documents/kept-document.ts'
import { deepFreeze, isJsonObject } from '../../src/catalogue/json.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { answerContracts, type ContractResponse } from '../support/answer-contract.ts'

const catalogue = await loadCatalogue('test/catalogue/fixtures/minimal')

function contractOf(operationId: string): Contract {
  const version = catalogue.versions.get('library@1.0.0')
  const contract = version && compileContracts(version).get(operationId)
  if (contract === undefined) throw new Error(`no contract of ${operationId}`)
  return contract
}

const requestId = '99391c7e-ad88-49ec-a2ad-99ddcb1f7721'
const headers = { 'x-request-id': requestId, 'content-type': 'application/json; charset=UTF-8' }
const price = { currency: 'EUR', amount: '12.50' }

function check(operationId: string, request: Partial<ContractRequest>) {
  return contractOf(operationId).request({
    path: {},
    query: {},
    headers,
    body: undefined,
    ...request,
  })
}

/** Violations as `place path: message`. */
function told(operationId: string, request: Partial<ContractRequest>): readonly string[] {
  return check(operationId, request).violations.map(
    (violation) => `${violation.in} ${violation.path}: ${violation.message}`,
  )
}

function bodyFaults(body: unknown): readonly string[] {
  return told('addBook', { body })
}

t.test('parameters come out typed as their schemas say', (t) => {
  const checked = check('readBookList', { query: { limit: '12', withAuthors: 'TRUE', other: 'x' } })
  t.strictSame(checked.violations, [])
  t.strictSame(checked.query, { limit: 12, withAuthors: true })
  t.strictSame(checked.headers, { 'x-request-id': requestId })
  t.strictSame(check('readBook', { path: { 'book-id': 'b-1' } }).path, { 'book-id': 'b-1' })
  t.strictSame(check('readBookList', { query: { withAuthors: 'False' } }).query, {
    limit: 10,
    withAuthors: false,
  })
  t.end()
})

t.test('nothing that was given is changed', (t) => {
  const request = deepFreeze({
    path: {},
    query: { limit: '12' },
    headers,
    body: { title: 'A', price, published: '2024-02-01' },
  })
  t.strictSame(contractOf('addBook').request(request).violations, [])
  t.strictSame(contractOf('readBookList').request({ ...request, body: undefined }).violations, [])
  t.end()
})

t.test('an invalid parameter is reported by its published name', (t) => {
  const cases: readonly (readonly [Partial<ContractRequest>, readonly string[]])[] = [
    [{ query: { limit: 'ten' } }, ['query limit: must be a whole number']],
    [{ query: { limit: '0x10' } }, ['query limit: must be a whole number']],
    [{ query: { limit: '1e1' } }, ['query limit: must be a whole number']],
    [{ query: { limit: ' 1' } }, ['query limit: must be a whole number']],
    [{ query: { limit: '' } }, ['query limit: must be a whole number']],
    [{ query: { limit: '1.5' } }, ['query limit: must be a whole number']],
    [{ query: { limit: '51' } }, ['query limit: must be 50 or less']],
    [{ query: { limit: ['1', '2'] } }, ['query limit: must be sent once']],
    [{ query: { withAuthors: '1' } }, ['query withAuthors: must be true or false']],
    [{ headers: {} }, ['header X-Request-ID: is required']],
    [{ headers: { 'x-request-id': 'abc' } }, ['header X-Request-ID: must be a UUID']],
    [
      { headers: { 'x-request-id': [requestId, requestId] } },
      ['header X-Request-ID: must be sent once'],
    ],
  ]
  for (const [request, expected] of cases) {
    t.strictSame(told('readBookList', request), expected, JSON.stringify(request))
  }
  t.strictSame(told('readBook', { path: { 'book-id': 'x'.repeat(37) } }), [
    'path book-id: must have at most 36 characters',
  ])
  t.end()
})

t.test('every fault of a body is reported at its place, and nothing else', (t) => {
  t.strictSame(bodyFaults({ title: 'A', price }), [])
  const body = {
    title: '',
    price: { currency: 'USD', amount: '12,50' },
    published: '2024-02-30',
    colour: 'red',
  }
  t.strictSame(bodyFaults(body), [
    'body title: must not be empty',
    'body price.currency: must be one of "EUR", "ILS"',
    'body price.amount: must be an amount such as 12.50',
    'body published: must be a date (YYYY-MM-DD)',
    'body colour: is unknown; check its spelling',
  ])
  t.strictSame(bodyFaults({ price: {} }), [
    'body title: is required',
    'body price.currency: is required',
    'body price.amount: is required',
  ])
  t.strictSame(bodyFaults([]), ['body : must be an object'])
  t.strictSame(bodyFaults(null), ['body : must be an object'])
  t.end()
})

t.test('for alternatives, the intended one is reported, or all of them', (t) => {
  const by = (writtenBy: unknown) => bodyFaults({ title: 'A', price, writtenBy })
  t.strictSame(by({ name: 'A' }), [])
  t.strictSame(by({ registrationNumber: '12' }), [
    'body writtenBy.registrationNumber: must match the pattern ^[0-9]{9}$',
  ])
  t.strictSame(by({ name: 5 }), ['body writtenBy.name: must be a string'])
  const which = ['body writtenBy: must be one of: a person; an organisation']
  t.strictSame(by({}), which)
  t.strictSame(by({ name: 'A', registrationNumber: '123456789' }), which)
  t.strictSame(by('A'), which)
  t.end()
})

t.test('no violation repeats what was sent', (t) => {
  const secret = 'tg_secret'
  const { violations } = check('addBook', {
    headers: { 'x-request-id': secret, 'content-type': 'application/json' },
    query: { limit: secret },
    body: {
      title: { [`${secret} name`]: secret },
      price: { currency: secret, amount: secret },
      [`${secret} member`]: secret,
      writtenBy: { name: [secret], [`${secret}!`]: secret },
    },
  })
  t.ok(violations.length >= 5)
  t.notOk(JSON.stringify(violations).includes(secret))
  t.end()
})

t.test('hostile member names are members like others', (t) => {
  const body: unknown = JSON.parse(
    '{"title":"A","price":{"currency":"EUR","amount":"1","__proto__":{}},"constructor":1,"toString":2}',
  )
  t.strictSame(bodyFaults(body), [
    'body price.__proto__: is unknown; check its spelling',
    'body constructor: is unknown; check its spelling',
    'body toString: is unknown; check its spelling',
  ])
  t.end()
})

t.test('a refusal stays short and cheap, however much is wrong', (t) => {
  const unknown = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => [`m${index}`, 1])
    return bodyFaults({ title: 'A', price, ...Object.fromEntries(names) })
  }
  t.equal(unknown(1500).length, 100, 'at most a hundred faults of a body are reported')
  t.strictSame(
    unknown(5000),
    ['body m0: is unknown; check its spelling'],
    'of a larger one the first',
  )
  const writtenBy = Array.from({ length: 5000 }, () => ({}))
  t.strictSame(
    bodyFaults({ title: 'A', price, writtenBy }),
    ['body writtenBy: must be one of: a person; an organisation'],
    'alternatives as well',
  )
  t.end()
})

t.test('a body is there exactly where it is published, in a published media type', (t) => {
  t.strictSame(bodyFaults(undefined), ['body : is required'])
  t.strictSame(told('readBookList', { body: {} }), ['body : must not be sent'])
  const typed = (contentType: string | undefined) =>
    told('addBook', {
      body: { title: 'A', price },
      headers: { ...headers, 'content-type': contentType },
    })
  t.strictSame(typed('Application/JSON'), [])
  for (const wrong of [
    undefined,
    'text/plain',
    'application/jsonx',
    'application/json, text/plain',
  ]) {
    t.strictSame(typed(wrong), ['header Content-Type: must be application/json'], String(wrong))
  }
  t.end()
})

function answerFaults(t: Test, operationId: string, response: Partial<ContractResponse>) {
  const version = catalogue.versions.get('library@1.0.0')
  const answerFaults = version && answerContracts(version).get(operationId)
  if (answerFaults === undefined) throw new Error(`no contract of ${operationId}`)
  const violations = answerFaults({
    status: 200,
    headers: { 'x-request-id': requestId },
    body: undefined,
    contentType: 'application/json',
    ...response,
  })
  t.ok(violations.every(({ rule }) => rule !== ''))
  return violations.map((violation) => `${violation.in} ${violation.path}: ${violation.message}`)
}

t.test('an answer is held against its status, headers, media type and body', (t) => {
  const book = { bookId: 'b-1', title: 'A', price }
  const cases: readonly (readonly [string, Partial<ContractResponse>, readonly string[]])[] = [
    ['readBookList', { body: { items: [book] } }, []],
    ['readBook', { body: { ...book, sequels: [{ ...book, sequels: [] }] } }, []],
    [
      'readBook',
      { body: { ...book, sequels: [{ bookId: 'b-2', price, pages: 5 }] } },
      [
        'body sequels[0].title: is required',
        'body sequels[0].pages: is unknown; check its spelling',
      ],
    ],
    ['readBookList', { body: { items: [] }, headers: {} }, ['header X-Request-ID: is required']],
    [
      'readBookList',
      { body: { items: [] }, headers: { 'x-request-id': 'x' } },
      ['header X-Request-ID: must be a UUID'],
    ],
    [
      'readBookList',
      { body: { items: [] }, contentType: 'text/html' },
      ['header Content-Type: must be application/json'],
    ],
    ['readBookList', {}, ['body : is required']],
    [
      'readBookList',
      { status: 500, body: {} },
      ['status 500: is not documented; there are: 200, 400'],
    ],
    ['removeBook', { status: 204, contentType: undefined }, []],
    ['removeBook', { status: 204, body: {} }, ['body : must not be sent']],
    [
      'removeBook',
      { status: 404, contentType: 'application/problem+json', body: { title: 'x', status: 200 } },
      ['body status: must be 400 or more'],
    ],
  ]
  for (const [operationId, response, expected] of cases) {
    t.strictSame(answerFaults(t, operationId, response), expected, JSON.stringify(response))
  }
  t.end()
})

t.test('a contract can be prepared, step by step, before it is needed', (t) => {
  const version = catalogue.versions.get('library@1.0.0')
  if (version === undefined) throw new Error('no version')
  const document = version.document.read()
  const { components } = document
  if (!isJsonObject(components) || !isJsonObject(components['schemas'])) throw new Error('none')
  const broken = {
    ...version,
    document: keptDocument({
      ...document,
      components: {
        ...components,
        schemas: { ...components['schemas'], newBook: { pattern: '(' } },
      },
    }),
  }
  const steps = (contract: Contract | undefined) => {
    let count = 0
    while (contract?.prepare()) count++
    return count
  }
  t.equal(steps(contractOf('addBook')), 2, 'a header and the body')
  t.equal(steps(contractOf('readBookList')), 3, 'a header and two in the query')
  t.throws(() => steps(compileContracts(broken).get('addBook')), { message: /^addBook: / })
  t.end()
})

t.test('every operation of a version has a contract', (t) => {
  for (const version of catalogue.versions.values()) {
    const contracts = compileContracts(version)
    t.strictSame(
      [...contracts.keys()],
      version.operations.map(({ id }) => id),
    )
  }
  t.end()
})
