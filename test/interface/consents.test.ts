import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { codeOf, lastSegment, type TestAnswer } from '../support/bank.ts'
import { type InterfaceCall, type InterfaceWorld, interfaceWorld } from '../support/interface.ts'
import { consentRequest } from '../support/requests.ts'
import { decideOnPage } from '../support/sca-browser.ts'

const noa = { 'psu-id': '305567661' }
const iban = 'IL030205710000000200285'

t.test('consents through the gateway', async (t) => {
  const world = await interfaceWorld(t)
  for (const version of ['1.6.0', '1.7.0']) {
    t.test(version, (t) => consentsOf(t, world, version))
  }
})

async function consentsOf(t: Test, world: InterfaceWorld, version: string) {
  const refusal = (answer: TestAnswer) => `${answer.status} ${codeOf(answer)}`
  const call = (t: Test, operation: string, change: Partial<InterfaceCall> = {}) =>
    world.call(t, { operation, version, ...change })
  const create = (t: Test, body: object = {}, headers: InterfaceCall['headers'] = noa) =>
    call(t, 'createConsent', { headers, body: { ...consentRequest, ...body } })
  const pathOf = ({ body }: TestAnswer) => ({
    consentId: String(body.consentId),
    authorisationId: lastSegment(body._links.scaStatus.href),
  })
  const statusOf = async (t: Test, path: Readonly<Record<string, string>>) =>
    (await call(t, 'getConsentStatus', { path })).body.consentStatus

  t.test('a consent is made, approved, read and ended', async (t) => {
    const made = await create(t)
    const path = pathOf(made)
    t.equal(made.headers['location'], `/v${version}/consents/${path.consentId}`)
    for (const [body, scaStatus] of [
      [{ psuData: { password: '12345' } }, 'psuAuthenticated'],
      [{ authenticationMethodId: 'sms-2' }, 'scaMethodSelected'],
      [{ scaAuthenticationData: '123456' }, 'finalised'],
    ] as const) {
      const step = await call(t, 'updateConsentAuthorisation', { path, headers: noa, body })
      t.equal(step.body.scaStatus, scaStatus)
    }
    const read = await call(t, 'getConsentAuthorisation', { path })
    t.match(read.body, { scaStatus: 'finalised', psuName: 'Noa Levi' })
    t.equal((await call(t, 'getConsent', { path })).body.consentStatus, 'valid')
    t.equal((await call(t, 'deleteConsent', { path })).status, 204)
    t.equal((await call(t, 'deleteConsent', { path })).status, 204, 'again')
    t.equal(await statusOf(t, path), 'terminatedByTpp')
  })

  t.test('the same answer for what is unknown and what is of another TPP', async (t) => {
    const path = pathOf(await create(t))
    for (const operation of [
      'getConsent',
      'deleteConsent',
      'getConsentStatus',
      'getConsentAuthorisation',
      'updateConsentAuthorisation',
    ]) {
      const body = operation === 'updateConsentAuthorisation' ? { body: {} } : {}
      const unknown = { ...path, consentId: randomUUID() }
      const answer = await call(t, operation, { path: unknown, ...body })
      t.equal(refusal(answer), '403 CONSENT_UNKNOWN', operation)
      const foreign = await call(t, operation, { path, as: 'other', ...body })
      t.strictSame(foreign.body, answer.body, `${operation}: of another TPP`)
    }
    for (const operation of ['getConsentAuthorisation', 'updateConsentAuthorisation']) {
      const other = { ...path, authorisationId: randomUUID() }
      const body = operation === 'updateConsentAuthorisation' ? { body: {} } : {}
      t.equal(refusal(await call(t, operation, { path: other, ...body })), '403 RESOURCE_UNKNOWN')
    }
  })

  const detailed = { accounts: [{ iban }] }
  const refusals: readonly (readonly [string, object, InterfaceCall['headers']?])[] = [
    ['400 FORMAT_ERROR', { access: undefined }],
    ['400 FORMAT_ERROR', { access: {} }],
    ['400 FORMAT_ERROR', { access: { ...detailed, allPsd2: 'allAccounts' } }],
    ['400 FORMAT_ERROR', { access: { accounts: [{ iban }], balances: [] } }],
    ['400 FORMAT_ERROR', { access: { accounts: [{ iban: 'DE89370400440532013000' }] } }],
    ['400 FORMAT_ERROR', { frequencyPerDay: 0 }],
    ['400 FORMAT_ERROR', { frequencyPerDay: '4' }],
    ['400 FORMAT_ERROR', { frequencyPerDay: 4, recurringIndicator: false }],
    ['400 FORMAT_ERROR', { validUntil: '2026-13-01' }],
    ['400 PERIOD_INVALID', { validUntil: '2026-01-01' }],
    [
      '400 PARAMETER_NOT_CONSISTENT',
      {
        access: {
          ...detailed,
          additionalInformation: { ownerName: [{ iban: 'IL910205710000000445566' }] },
        },
      },
    ],
    ['400 SERVICE_INVALID', { access: { allPsd2: 'allAccounts', restrictedTo: ['LOAN'] } }],
    ['400 SESSIONS_NOT_SUPPORTED', { combinedServiceIndicator: true }],
    ['401 PSU_CREDENTIALS_INVALID', {}, { 'psu-id': 'nobody' }],
    ['401 CORPORATE_ID_INVALID', {}, { ...noa, 'psu-corporate-id': '510000011' }],
    ['403 SERVICE_BLOCKED', {}, { 'psu-id': 'PSU-ServiceBlocked' }],
  ]
  t.test('POST: what is wrong is refused with its code', async (t) => {
    for (const [expected, body, headers] of refusals) {
      t.equal(refusal(await create(t, body, headers)), expected, JSON.stringify(body))
    }
  })

  t.test('an approved recurring consent ends older ones; a one-off ends none', async (t) => {
    const decoupled = { ...noa, 'tpp-decoupled-preferred': 'true' }
    const approved = async () => {
      const path = pathOf(await create(t, {}, decoupled))
      world.clock.now += 2000
      t.equal(await statusOf(t, path), 'valid')
      return path
    }
    const first = await approved()
    const waiting = pathOf(await create(t))
    world.clock.now += 1
    const oneOff = { recurringIndicator: false, frequencyPerDay: 1 }
    await create(t, oneOff, decoupled)
    world.clock.now += 2000
    t.equal(await statusOf(t, first), 'valid')
    await approved()
    t.equal(await statusOf(t, first), 'expired')
    t.equal(await statusOf(t, waiting), 'rejected')
    const put = { path: waiting, headers: noa, body: { psuData: { password: '12345' } } }
    t.equal(refusal(await call(t, 'updateConsentAuthorisation', put)), '409 STATUS_INVALID')
  })

  t.test('DELETE: what has ended otherwise says how', async (t) => {
    const decoupled = { 'tpp-decoupled-preferred': 'true' }
    for (const [alias, expected] of [
      ['PSU-ConsentExpired', '401 CONSENT_EXPIRED'],
      ['PSU-ConsentRevokedByPsu', '401 CONSENT_INVALID'],
      ['PSU-Rejected', '401 CONSENT_INVALID'],
    ] as const) {
      const path = pathOf(await create(t, {}, { ...decoupled, 'psu-id': alias }))
      world.clock.now += 2000
      t.equal(refusal(await call(t, 'deleteConsent', { path })), expected, alias)
    }
  })

  t.test('PUT: what is wrong with a step', async (t) => {
    const path = pathOf(await create(t))
    const put = (body: object, headers: InterfaceCall['headers'] = noa) =>
      call(t, 'updateConsentAuthorisation', { path, headers, body })
    const two = { psuData: { password: '12345' }, confirmationCode: 'x' }
    t.equal(refusal(await put(two)), '400 FORMAT_ERROR')
    t.equal(refusal(await put({ confirmationCode: 'x' })), '409 STATUS_INVALID')
    const wrong = { psuData: { password: 'wrong' } }
    t.equal(refusal(await put(wrong)), '401 PSU_CREDENTIALS_INVALID')
    await put({ psuData: { password: '12345' } })
    t.equal(refusal(await put({ authenticationMethodId: 'x' })), '400 SCA_METHOD_UNKNOWN')
    await put({ authenticationMethodId: 'sms-1' })
    for (let attempt = 1; attempt <= 3; attempt++) {
      const answer = await put({ scaAuthenticationData: '000000' })
      t.equal(refusal(answer), '401 PSU_CREDENTIALS_INVALID')
    }
    t.equal(await statusOf(t, path), 'rejected')
    t.equal(refusal(await put({ confirmationCode: 'x' })), '400 SCA_INVALID')
  })

  t.test(
    'PUT: a redirect is decided on the page, and confirmed where the bank wants it',
    async (t) => {
      const redirect = { 'tpp-redirect-uri': 'https://tpp.example/back' }
      const made = await create(t, {}, { ...noa, ...redirect })
      const path = pathOf(made)
      const password = { path, headers: noa, body: { psuData: { password: '12345' } } }
      t.equal(refusal(await call(t, 'updateConsentAuthorisation', password)), '403 SERVICE_BLOCKED')
      await decideOnPage(world.backend.sca, made.body._links.scaRedirect.href)
      t.equal(await statusOf(t, path), 'valid')

      const rivka = { 'psu-id': 'PSU-Confirmation' }
      const held = await create(t, {}, { ...rivka, ...redirect })
      const back = await decideOnPage(
        world.backend.sca,
        held.body._links.scaRedirect.href,
        {},
        {
          psu: 'PSU-Confirmation',
          password: '12345',
        },
      )
      const confirmationCode = new URL(String(back.headers['location'])).searchParams.get(
        'confirmationCode',
      )
      t.equal(await statusOf(t, pathOf(held)), 'received')
      const confirmed = await call(t, 'updateConsentAuthorisation', {
        path: pathOf(held),
        body: { confirmationCode },
      })
      t.equal(confirmed.body.scaStatus, 'finalised')
      t.equal(await statusOf(t, pathOf(held)), 'valid')
    },
  )

  t.test('PUT: too late after a day', async (t) => {
    const path = pathOf(await create(t))
    world.clock.now += 24 * 3_600_000
    const put = { path, headers: noa, body: { psuData: { password: '12345' } } }
    t.equal(refusal(await call(t, 'updateConsentAuthorisation', put)), '403 RESOURCE_EXPIRED')
    t.equal(await statusOf(t, path), 'rejected')
  })
}
