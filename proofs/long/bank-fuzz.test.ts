import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Json } from '../../src/catalogue/catalogue.ts'
import { operationObject } from '../../src/catalogue/documents/operation-object.ts'
import { isJsonArray, isJsonObject } from '../../src/catalogue/json.ts'
import { contractsOf, type Described, lastSegment } from '../../test/support/bank.ts'
import {
  type InterfaceCall,
  type InterfaceWorld,
  interfaceWorld,
} from '../../test/support/interface.ts'
import { bill, consentRequest, invoice, mandateRequest } from '../../test/support/requests.ts'
import { figure } from '../figure.ts'
import { proofSeed, proofSize } from '../size.ts'
import { arbitraryOfSchema } from '../support/arbitrary-of-schema.ts'

t.setTimeout(600_000)

const seed = proofSeed()
/** Shared by the versions that have the operation. */
const inputsPerOperation = proofSize({ share: 5, whole: 220 })

/** What exists, to mix into calls. */
interface Pool {
  /** The parameters of whole paths. */
  readonly paths: readonly Readonly<Record<string, string>>[]
  /** By the name of a parameter or member. */
  readonly values: ReadonlyMap<string, readonly Json[]>
}

/** Texts that have broken programs before. */
const oddTexts = [
  '',
  ' ',
  'שלום עולם',
  '\u202Eשלום\u202C',
  'e\u0301'.repeat(40),
  '👩‍👩‍👧‍👦',
  '\uD800',
  'a\uDFFFb',
  'a\u0000b',
  '\uFEFF',
  "'; drop table accounts; --",
  '<script>alert(1)</script>',
  '%s%n%00',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '1e308',
  '-0',
  '9'.repeat(40),
  '0.001',
  'x'.repeat(140),
  'x'.repeat(141),
  'ש'.repeat(2049),
  '2026-02-30',
  '0000-01-01',
  '-000001-01-01',
  '+275760-09-13',
  '10000-01-01',
  '2026-11-20T25:00:00Z',
  '0000-01-01T00:00:00+23:59',
  '2026-11-20T10:00:00.123456789012+14:00',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  'IL030205710000000200285',
  'il030205710000000200285',
]
const oddValues: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53 + 2,
  1e308,
  [],
  {},
  [[]],
  [null],
  nested(40),
  { constructor: { prototype: { polluted: true } } },
]
const odd = fc.oneof(
  fc.constantFrom<Json>(...oddTexts),
  fc.constantFrom<Json>(...oddValues),
  fc.string({ unit: 'binary', maxLength: 200 }),
)
/** Bodies that are no object. */
const oddBodies = [
  '',
  ' ',
  'null',
  '[]',
  '"text"',
  '1e400',
  '{',
  '{}x',
  '\uFEFF{}',
  '{"a":1,"a":2}',
  '{"__proto__":{"a":1}}',
  '{"a":"\\ud800"}',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
  `{"a":${'9'.repeat(5000)}}`,
  `{"a":"${'x'.repeat(200_000)}"}`,
]

t.test('no input of any operation is answered 5xx or otherwise than published', async (t) => {
  const world = await interfaceWorld(t)
  const counts = new Map<string, number>()
  const faults: string[] = []
  let turn = 0
  const published = [...contractsOf(world.catalogue).values()]
  for (const described of published) {
    const { id, version } = described.operation
    const versions = published.filter(({ operation }) => operation.id === id).length
    turn += 1
    const inputs = fc.sample(
      inputsOf(described, await makePool(t, world, described.operation), world),
      {
        seed: seed + turn,
        numRuns: inputsPerOperation / versions,
      },
    )
    for (const [index, input] of inputs.entries()) {
      // What waits for the time goes on in between.
      if (index % 20 === 19) world.clock.now += 700
      try {
        const { status } = await world.call(t, input)
        counts.set(`${status}`, (counts.get(`${status}`) ?? 0) + 1)
        if (status >= 500) faults.push(`${status} to ${told(input)}`)
      } catch (error) {
        faults.push(`${error instanceof Error ? error.message : error} to ${told(input)}`)
      }
    }
    t.pass(`${version} ${id}: ${inputs.length} inputs`)
  }
  figure(
    [...counts]
      .sort()
      .map(([status, count]) => `${status}: ${count}`)
      .join(', '),
  )
  t.strictSame(faults.slice(0, 20), [], `${faults.length} faults with SEED=${seed}`)
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  // Of fewer inputs, chance alone may leave too few of the rarest.
  if (all < 1_000) return
  for (const [status, least] of Object.entries(leastShares)) {
    const share = (counts.get(status) ?? 0) / all
    t.ok(share >= least, `${status} to ${(share * 100).toFixed(1)} % of the inputs`)
  }
})

/**
 * What random inputs must reach, as shares of all: inputs that the first check
 * refuses would test nothing behind it. The rarest, 202, has 27 of 1,500 on
 * average with a standard deviation of 5. Each bound lies about four standard
 * deviations below the average of eight runs (22 November 2026).
 */
const leastShares = {
  200: 0.3,
  201: 0.007,
  202: 0.005,
  204: 0.025,
  400: 0.2,
  401: 0.018,
  403: 0.025,
  404: 0.065,
  409: 0.012,
}

/** Makes resources of the TPP in states that a call of the operation can meet. */
async function makePool(
  t: Test,
  world: InterfaceWorld,
  { template }: Described['operation'],
): Promise<Pool> {
  const call = async (wanted: Omit<InterfaceCall, 'version'>, version = '1.6.0') =>
    (await world.call(t, { version, ...wanted })).body
  const noa = { 'psu-id': '305567661' }
  const device = { ...noa, 'tpp-decoupled-preferred': 'true' }
  const makeConsent = (headers: Readonly<Record<string, string>>, change = {}) =>
    call({ operation: 'createConsent', headers, body: { ...consentRequest, ...change } })
  const makePayment = (headers: Readonly<Record<string, string>>, product: string) =>
    call({
      operation: 'initiatePayment',
      path: { 'payment-product': product },
      headers,
      body: bill,
    })
  const makeMandate = () =>
    call(
      {
        operation: 'createMandate',
        headers: noa,
        body: { ...mandateRequest, mandateId: randomUUID().slice(0, 30) },
      },
      '1.0.0',
    )
  const paths: Readonly<Record<string, string>>[] = []
  const linked = (links: Readonly<Record<string, { href: string }>>) => ({
    authorisationId: lastSegment(links['scaStatus']?.href ?? randomUUID()),
  })
  const isAbout = (name: string) => template.includes(`{${name}}`)
  /** One in three stays as it is, one is signed in, one waits for the one-time password. */
  const authorise = async (
    operation: string,
    path: Readonly<Record<string, string>>,
    made: number,
  ) => {
    if (!isAbout('authorisationId')) return
    for (const body of steps.slice(0, Math.floor(made / 4))) {
      await call({ operation, path, headers: noa, body })
    }
  }
  for (let made = 0; made < 12; made += 1) {
    if (isAbout('paymentId')) {
      const product = made % 3 === 0 ? 'fp' : 'masav'
      const { paymentId, _links } = await makePayment(made % 3 < 2 ? noa : device, product)
      const path = { 'payment-product': product, paymentId, ...linked(_links) }
      await authorise('updatePaymentAuthorisation', path, made)
      paths.push(path)
    }
    if (isAbout('consentId')) {
      const { consentId, _links } = await makeConsent(made % 4 < 3 ? noa : device, once)
      const path = { consentId, ...linked(_links) }
      await authorise('updateConsentAuthorisation', path, made)
      paths.push(path)
    }
    if (isAbout('resourceId')) {
      if (made === 8) world.clock.now += 2100
      paths.push({ resourceId: (await makeMandate()).mandateResourceId })
    }
  }
  // A later recurring consent ends earlier ones: the one to read with is approved last.
  const { consentId } = await makeConsent(device)
  world.clock.now += 2100
  const headers = { 'consent-id': consentId }
  const kind = template.startsWith('/card-accounts') ? 'cardAccounts' : 'accounts'
  const list = await call({
    operation: kind === 'accounts' ? 'listAccounts' : 'listCardAccounts',
    headers,
  })
  const ids: readonly string[] = list[kind].map(
    ({ resourceId }: { resourceId: string }) => resourceId,
  )
  if (isAbout('account-id')) paths.push(...ids.map((id) => ({ 'account-id': id })))
  const entries: { transactionId: string; entryReference?: string }[] = []
  if (isAbout('account-id') && kind === 'accounts') {
    const report = await call({
      operation: 'listAccountTransactions',
      headers,
      path: { 'account-id': ids[0] ?? '' },
      query: 'bookingStatus=booked&dateFrom=2026-10-01',
    })
    entries.push(...report.transactions.booked)
  }
  const withEntry = entries.map(({ transactionId }) => ({
    'account-id': ids[0] ?? '',
    transactionId,
  }))
  return {
    paths: isAbout('transactionId') ? withEntry : paths,
    values: new Map<string, readonly Json[]>([
      ...values,
      ['consent-id', [consentId]],
      ['entryReferenceFrom', entries.flatMap(({ entryReference }) => entryReference ?? [])],
    ]),
  }
}

const once = { recurringIndicator: false, frequencyPerDay: 1, validUntil: '2026-12-31' }
const ibans = [
  'IL030205710000000200285',
  'IL910205710000000445566',
  'IL090123450000000123456',
  'DE89370400440532013000',
  'FR1420041010050500013M02606',
]

/** Values that get calls past the first checks, whatever exists. */
const values: readonly (readonly [string, readonly Json[]])[] = [
  ['payment-product', ['masav', 'masav', 'masav', 'fp', 'zahav', 'sepa-credit-transfers']],
  ['psu-id', [...Array(12).fill('305567661'), 'anton.brueckner', '310000013', '054321989']],
  ['psu-ip-address', ['192.0.2.44', '2001:db8::1']],
  ['bookingStatus', ['booked', 'pending', 'both', 'all', 'information']],
  ['dateFrom', ['2026-11-01', '2026-01-01']],
  ['dateTo', ['2026-11-20', '2026-11-30']],
  ['itemsPerPage', [1, 20]],
  ['iban', ibans],
  ['currency', ['ILS', 'ILS', 'EUR', 'USD']],
  ['amount', ['12.50', '1', '49999.99', '1000000']],
  ['frequencyPerDay', [1]],
  ['requestedExecutionDate', ['2026-11-20', '2026-11-23', '2027-02-27']],
  ['debtorAccount', [bill.debtorAccount, invoice.debtorAccount]],
  ['creditorAccount', [bill.creditorAccount, invoice.creditorAccount, { iban: ibans[1] ?? '' }]],
  ['instructedAmount', [bill.instructedAmount, invoice.instructedAmount]],
  ['type', [mandateRequest.type, { localInstrumentCode: 'CORE' }]],
  ['creditor', [mandateRequest.creditor]],
  ['debtor', [mandateRequest.debtor]],
  ['validUntil', ['2026-11-20', '2027-05-31', '9999-12-31']],
  ['allPsd2', ['allAccounts']],
  ['combinedServiceIndicator', [false]],
  ['remittanceInformationUnstructured', ['Water bill 11/2026', 'חשבון מים']],
]
/** What leads an authorisation to its end. */
const steps = [
  { psuData: { password: '12345' } },
  { authenticationMethodId: 'sms-1' },
  { scaAuthenticationData: '123456' },
]
const updates: readonly Json[] = [
  ...steps,
  ...steps,
  { psuData: { password: 'wrong' } },
  { authenticationMethodId: 'app-1' },
  { scaAuthenticationData: '000000' },
  { confirmationCode: '000000' },
  {},
]
/** Bodies that are accepted, by operation. */
const bodies: Readonly<Record<string, readonly Json[]>> = {
  createConsent: [consentRequest, { ...consentRequest, ...once }],
  initiatePayment: [bill, { ...bill, requestedExecutionDate: '2026-11-23' }],
  createMandate: Array.from({ length: 40 }, (_, index) => ({
    ...mandateRequest,
    mandateId: `M-${index}`,
  })),
  updateConsentAuthorisation: updates,
  updatePaymentAuthorisation: updates,
}

/** Calls of an operation: about half keep to its document, the others break it in one place or several. */
function inputsOf(
  { operation }: Described,
  pool: Pool,
  { catalogue }: Pick<InterfaceWorld, 'catalogue'>,
): fc.Arbitrary<InterfaceCall> {
  const version = catalogue.versions.get(`${operation.api}@${operation.version}`)
  const document = version?.document.read()
  const described = document && operationObject(document, operation.template, operation.method)
  if (document === undefined || described === undefined) throw new Error(`no ${operation.id}`)
  const known = (name: string) => {
    const found = pool.values.get(name) ?? []
    return found.length === 0 ? undefined : fc.constantFrom(...found)
  }
  const arbitraryOf = (schema: Json | undefined, name: string) => {
    const random = arbitraryOfSchema(isJsonObject(schema) ? schema : {}, { document, known })
    const mixed = known(name)
    return mixed === undefined
      ? random
      : fc.oneof({ weight: 9, arbitrary: mixed }, { weight: 1, arbitrary: random })
  }
  const path: Record<string, fc.Arbitrary<string>> = {}
  const headers: Record<string, fc.Arbitrary<string | undefined>> = {}
  const query: Record<string, fc.Arbitrary<readonly string[]>> = {}
  for (const { name, in: place, isRequired, object } of described.parameters) {
    const lower = name.toLowerCase()
    const value = arbitraryOf(object.value['schema'], place === 'header' ? lower : name)
    if (place === 'path') {
      path[name] = fc.oneof(
        { weight: 20, arbitrary: value.map((one) => encodeURIComponent(String(one))) },
        { weight: 1, arbitrary: oddSegment },
      )
    } else if (place === 'header') {
      // X-Request-ID is a fresh one unless broken.
      if (lower === 'x-request-id') continue
      const isUsual = isRequired || /^(consent-id|psu-id|psu-ip-address)$/.test(lower)
      const text = value.map((one) => headerText(String(one)))
      headers[lower] = weighted(isUsual ? 40 : 1, text, rarely(lower, isUsual))
    } else if (place === 'query') {
      const text = value.map((one) => [`${name}=${encodeURIComponent(String(one))}`])
      query[name] = weighted(isRequired ? 20 : 1, text, isRequired ? 1 : 3).map((one) => one ?? [])
    }
  }
  const schema = described.requestBody?.value['content']
  const json = isJsonObject(schema) ? schema['application/json'] : undefined
  const accepted = bodies[operation.id] ?? []
  const body = isJsonObject(json)
    ? fc.oneof(
        arbitraryOf(json['schema'], ''),
        ...(accepted.length === 0 ? [] : [fc.constantFrom(...accepted)]),
      )
    : undefined
  return fc
    .record({
      path: wholePath(pool, fc.record(path, { noNullPrototype: true })),
      headers: fc.record(headers, { noNullPrototype: true }),
      query: fc
        .record(query, { noNullPrototype: true })
        .map((parts) => Object.values(parts).flat()),
      body: body === undefined ? fc.constant(undefined) : body.chain(maybeBroken),
      oddHeader: weighted(1, oddHeader, 6),
      oddQuery: weighted(1, oddQuery, Object.keys(query).length === 0 ? 20 : 3),
    })
    .map(({ path, headers, query, body, oddHeader, oddQuery }) => {
      const whole = [...query, ...(oddQuery ?? [])].join('&')
      return {
        operation: operation.id,
        version: operation.version,
        path,
        headers: { 'x-request-id': randomUUID(), ...headers, ...oddHeader },
        ...(whole === '' ? {} : { query: whole }),
        ...(body === undefined ? {} : { body }),
      }
    })
}

/** Mostly the path of something that exists. */
function wholePath({ paths }: Pool, random: fc.Arbitrary<Readonly<Record<string, string>>>) {
  if (paths.length === 0) return random
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...paths) },
    {
      weight: 2,
      arbitrary: fc.tuple(random, fc.constantFrom(...paths), fc.nat()).map(([odd, known, at]) => {
        const names = Object.keys(odd)
        const name = names[at % names.length] ?? ''
        return { ...known, [name]: odd[name] ?? '' }
      }),
    },
  )
}

/** How many times a header is left out against the times it is sent. */
function rarely(name: string, isUsual: boolean): number {
  if (isUsual) return 1
  // Their faults hide all later ones.
  return /signature|digest/.test(name) ? 200 : 40
}

function weighted<Value>(
  weight: number,
  arbitrary: fc.Arbitrary<Value>,
  otherwise: number,
): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight, arbitrary }, { weight: otherwise, arbitrary: fc.constant(undefined) })
}

/** Segments that keep their place in the path. */
const oddSegment = fc.oneof(
  fc.constantFrom('%00', '%ED%A0%80', '%FF', '%', '%zz', 'a%2Fb', "';--", '~', 'x'.repeat(600)),
  fc
    .constantFrom(...oddTexts.filter((text) => text.isWellFormed() && text.trim() !== ''))
    .map(encodeURIComponent),
)

const oddQuery = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        'bookingStatus',
        'dateFrom',
        'dateTo',
        'entryReferenceFrom',
        'deltaList',
        'withBalance',
        'pageIndex',
        'itemsPerPage',
        '__proto__',
        'toString',
        'unknown',
      ),
      fc.oneof(
        fc.constantFrom(
          '',
          '0',
          '-1',
          '1e3',
          '2147483647',
          '2147483648',
          'TRUE',
          '%zz',
          '%ED%A0%80',
        ),
        fc.constantFrom(...oddTexts.filter((text) => text.isWellFormed())).map(encodeURIComponent),
      ),
    )
    .chain(([name, value]) =>
      fc.constantFrom([`${name}=${value}`], [`${name}=${value}`, `${name}=1`], [`${name}[]=1`]),
    ),
  fc.constantFrom(
    ['&&&'],
    ['='],
    ['a'.repeat(4000)],
    Array.from({ length: 1200 }, () => 'a=1'),
  ),
)

const oddHeader = fc
  .oneof(
    fc.record({
      name: fc.constantFrom(
        'x-request-id',
        'psu-id',
        'psu-corporate-id',
        'psu-ip-address',
        'consent-id',
        'digest',
        'signature',
        'tpp-signature-certificate',
        'tpp-redirect-uri',
        'tpp-redirect-preferred',
        'accept',
        'content-type',
        'psu-geo-location',
        'psu-device-id',
        'date',
        'tpp-notification-uri',
        'gateway-identity',
        'via',
        'x-http-method-override',
      ),
      value: fc.constantFrom(
        ...oddTexts,
        'x'.repeat(3000),
        '*/*;q=0',
        'application/json;charset=x',
      ),
    }),
  )
  .map(({ name, value }) => ({ [name]: headerText(value) }))

/** As a header can carry it: what is left of UTF-8 without control characters. */
function headerText(text: string): string {
  const bytes = Buffer.from(text.toWellFormed()).toString('latin1')
  return bytes.replaceAll(/[\u0000-\u0008\u000A-\u001F\u007F]/g, '')
}

/** A body as it is, changed in one place or several, or something else altogether. */
function maybeBroken(body: Json): fc.Arbitrary<object | string> {
  const whole = isJsonObject(body) ? body : {}
  const change = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('remove', 'replace', 'replace', 'add'),
    name: fc.constantFrom('extra', '__proto__', 'שדה', 'a\u0000', '\uD83D', ''),
    value: odd,
  })
  return fc.oneof(
    { weight: 10, arbitrary: fc.constant(whole) },
    {
      weight: 9,
      arbitrary: fc
        .array(change, { minLength: 1, maxLength: 3 })
        .map((changes) => changes.reduce<Json>(changed, whole) as object),
    },
    { weight: 1, arbitrary: fc.constantFrom(...oddBodies) },
  )
}

interface Change {
  readonly at: number
  readonly kind: string
  readonly name: string
  readonly value: Json
}

/** The value with its `at`th part removed, replaced, or given one more member; the parts are counted from the outside. */
function changed(body: Json, { at, kind, name, value }: Change): Json {
  const places = placesOf(body, [])
  const place = places[at % places.length] ?? []
  return edit(body, place, (part) => {
    if (kind === 'remove' && place.length > 0) return undefined
    if (kind === 'add' && isJsonObject(part)) return { ...part, [name]: value }
    return place.length === 0 ? part : value
  }) as Json
}

function placesOf(value: Json, place: readonly string[]): (readonly string[])[] {
  return [place, ...partsOf(value).flatMap(([name, part]) => placesOf(part, [...place, name]))]
}

function partsOf(value: Json): readonly (readonly [string, Json])[] {
  if (isJsonArray(value)) return value.map((part, index) => [String(index), part])
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, part]) => (part === undefined ? [] : [[name, part]]))
}

function edit(
  value: Json,
  [name, ...rest]: readonly string[],
  change: (part: Json) => Json | undefined,
): Json | undefined {
  if (name === undefined) return change(value)
  const parts = partsOf(value).flatMap(([key, part]) => {
    const edited = key === name ? edit(part, rest, change) : part
    return edited === undefined ? [] : [[key, edited] as const]
  })
  return isJsonArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts)
}

function nested(depth: number): Json {
  return depth === 0 ? 1 : { a: nested(depth - 1) }
}

function told(input: InterfaceCall): string {
  return JSON.stringify(input).slice(0, 1500)
}
