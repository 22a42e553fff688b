import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { BankSchema } from '../../src/backend/stores/schema.ts'
import { codeOf, lastSegment, type TestBank, testBank } from '../support/bank.ts'

const iban = 'IL030205710000000200285'
const notHers = 'DE89370400440532013000'
const request = {
  access: { accounts: [{ iban }], balances: [{ iban, currency: 'ILS' }] },
  recurringIndicator: true,
  validUntil: '2027-05-31',
  frequencyPerDay: 4,
  combinedServiceIndicator: false,
}
const psu = { 'psu-id': '305567661' }

t.test('consents', async (t) => {
  const bank = await testBank(t)

  for (const version of ['1.6.0', '1.7.0']) {
    t.test(`${version}: a consent is approved through the TPP, read and ended`, async (t) => {
      const created = await bank.call({
        operation: 'createConsent',
        version,
        headers: { ...psu, 'tpp-redirect-preferred': 'false' },
        body: request,
      })
      t.equal(created.status, 201)
      t.equal(created.headers['aspsp-sca-approach'], 'EMBEDDED')
      const consentId: string = created.body.consentId
      const self = `/v${version}/consents/${consentId}`
      t.equal(created.headers['location'], self)
      const authorisation: string = created.body._links.updatePsuAuthentication.href
      t.strictSame(created.body._links, {
        updatePsuAuthentication: { href: authorisation },
        scaStatus: { href: authorisation },
        self: { href: self },
        status: { href: `${self}/status` },
      })
      t.match(authorisation, `${self}/authorisations/`)
      const path = { consentId, authorisationId: lastSegment(authorisation) }
      const step = (body: object) =>
        bank.call({ operation: 'updateConsentAuthorisation', version, path, body })

      const password = await step({ psuData: { password: '12345' } })
      t.equal(password.body.scaStatus, 'psuAuthenticated')
      t.equal(password.body._links.selectAuthenticationMethod.href, authorisation)
      const [{ authenticationMethodId }] = password.body.scaMethods
      const method = await step({ authenticationMethodId })
      t.equal(method.body.scaStatus, 'scaMethodSelected')
      t.equal(method.body._links.authoriseTransaction.href, authorisation)
      const otp = await step({ scaAuthenticationData: '123456' })
      t.equal(otp.body.scaStatus, 'finalised')
      t.equal(otp.body._links.status.href, `${self}/status`)

      const status = await bank.call({ operation: 'getConsentStatus', version, path })
      t.equal(status.body.consentStatus, 'valid')
      const scaStatus = await bank.call({ operation: 'getConsentAuthorisation', version, path })
      t.equal(scaStatus.body.scaStatus, 'finalised')
      const read = await bank.call({ operation: 'getConsent', version, path })
      t.match(read.body, {
        access: request.access,
        recurringIndicator: true,
        validUntil: '2027-05-31',
        frequencyPerDay: 4,
        lastActionDate: '2026-11-20',
        consentStatus: 'valid',
        _links: { account: { href: `/v${version}/accounts` } },
      })

      const again = await step({ scaAuthenticationData: '123456' })
      t.equal(again.status, 409)
      t.equal(again.body.tppMessages[0].code, 'STATUS_INVALID')

      t.equal((await bank.call({ operation: 'deleteConsent', version, path })).status, 204)
      t.equal((await bank.call({ operation: 'deleteConsent', version, path })).status, 204)
      const ended = await bank.call({ operation: 'getConsent', version, path })
      t.equal(ended.body.consentStatus, 'terminatedByTpp')
    })
  }

  t.test('a consent of another TPP answers exactly like an unknown one', async (t) => {
    const consent = await receivedConsent(bank)
    const answers = []
    for (const [operation, body] of [
      ['getConsent', undefined],
      ['getConsentStatus', undefined],
      ['deleteConsent', undefined],
      ['getConsentAuthorisation', undefined],
      ['updateConsentAuthorisation', { psuData: { password: '12345' } }],
    ] as const) {
      const headers = { 'x-request-id': randomUUID() }
      const common = { operation, headers, ...(body === undefined ? {} : { body }) }
      const foreign = await bank.call({ ...common, path: consent, applicationId: 'other' })
      const unknown = await bank.call({
        ...common,
        path: { ...consent, consentId: randomUUID() },
      })
      t.strictSame(foreign, unknown, operation)
      answers.push([foreign.status, foreign.body.tppMessages[0].code])
    }
    t.strictSame(answers, Array(5).fill([403, 'CONSENT_UNKNOWN']))
    const path = { ...consent, authorisationId: randomUUID() }
    const unknown = await bank.call({ operation: 'getConsentAuthorisation', path })
    t.strictSame([unknown.status, unknown.body.tppMessages[0].code], [403, 'RESOURCE_UNKNOWN'])
    const odd = await bank.call({ operation: 'getConsent', path: { consentId: 'not-a-uuid' } })
    t.equal(odd.status, 403)
  })

  t.test('the TPP learns the name of a PSU only once the PSU has given a password', async (t) => {
    const nameOf = async (path: object) => {
      const read = { operation: 'getConsentAuthorisation', path: { ...path } }
      const { body } = await bank.call(read)
      return [body.scaStatus, body.psuName]
    }
    const ask = async (headers: Readonly<Record<string, string>>) => {
      const body = { ...request, access: { allPsd2: 'allAccounts' } }
      const { body: created } = await bank.call({ operation: 'createConsent', headers, body })
      const authorisationId = lastSegment(created._links.scaStatus.href)
      return { consentId: String(created.consentId), authorisationId }
    }
    const asked = await ask({ 'psu-id': '310000088', 'tpp-decoupled-preferred': 'true' })
    t.strictSame(await nameOf(asked), ['started', undefined])
    bank.clock.now += 2000
    t.strictSame(await nameOf(asked), ['finalised', undefined], 'approved on a device')

    const embedded = await ask({ 'psu-id': '310000088', 'tpp-redirect-preferred': 'false' })
    t.strictSame(await nameOf(embedded), ['psuIdentified', undefined])
    const operation = 'updateConsentAuthorisation'
    const step = (body: object) => bank.call({ operation, path: embedded, body })
    await step({ psuData: { password: '12345' } })
    t.strictSame(await nameOf(embedded), ['psuAuthenticated', 'Galil Water Works'])
    await step({ authenticationMethodId: 'app-1' })
    t.strictSame(await nameOf(embedded), ['started', 'Galil Water Works'], 'goes on on a device')
  })

  t.test('a repeated POST gets the first answer, with another body 400', async (t) => {
    const headers = { ...psu, 'x-request-id': randomUUID() }
    const post = (body: object, applicationId?: string) =>
      bank.call({
        operation: 'createConsent',
        headers,
        body,
        ...(applicationId === undefined ? {} : { applicationId }),
      })
    const first = await post(request)
    t.strictSame(await post(request), first)
    const other = await post({ ...request, frequencyPerDay: 3 })
    t.equal(other.status, 400)
    t.match(other.body.tppMessages[0], { code: 'FORMAT_ERROR', path: 'X-Request-ID' })
    const otherTpp = await post(request, 'other')
    t.equal(otherTpp.status, 201)
    t.not(otherTpp.body.consentId, first.body.consentId)
    bank.clock.now += 24 * 3_600_000
    const nextDay = await post(request)
    t.equal(nextDay.status, 201)
    t.not(nextDay.body.consentId, first.body.consentId)
  })

  t.test('a POST repeated after midnight gets the answer of the day before', async (t) => {
    const begun = bank.clock.now
    // A minute before midnight at the bank.
    bank.clock.now = Date.parse('2026-11-30T21:59:00Z')
    const headers = { ...psu, 'x-request-id': randomUUID() }
    const body = { ...request, validUntil: '2026-11-30' }
    const post = () => bank.call({ operation: 'createConsent', headers, body })
    const first = await post()
    t.equal(first.status, 201)
    bank.clock.now += 120_000
    t.strictSame(await post(), first)
    const other = await bank.call({ operation: 'createConsent', headers: psu, body })
    t.strictSame([other.status, codeOf(other)], [400, 'PERIOD_INVALID'])
    bank.clock.now = begun
  })

  t.test('of many equal POSTs at once exactly one makes a consent', async (t) => {
    const headers = { ...psu, 'x-request-id': randomUUID() }
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        bank.call({ operation: 'createConsent', headers, body: request }),
      ),
    )
    t.equal(new Set(answers.map(({ body }) => body.consentId)).size, 1)
    t.ok(answers.every(({ status }) => status === 201))
  })

  t.test('the third wrong password fails the authorisation and rejects the consent', async (t) => {
    const path = await receivedConsent(bank)
    const attempt = () =>
      bank.call({
        operation: 'updateConsentAuthorisation',
        path,
        body: { psuData: { password: 'wrong' } },
      })
    for (let failures = 1; failures <= 3; failures++) {
      const { status, body } = await attempt()
      t.strictSame([status, body.tppMessages[0].code], [401, 'PSU_CREDENTIALS_INVALID'])
      const { body: parent } = await bank.call({ operation: 'getConsentStatus', path })
      t.equal(parent.consentStatus, failures < 3 ? 'received' : 'rejected')
    }
    t.equal((await attempt()).status, 409)
  })

  t.test('what failed cannot be confirmed', async (t) => {
    const { body } = await bank.call({ operation: 'createConsent', headers: psu, body: request })
    const path = {
      consentId: body.consentId,
      authorisationId: lastSegment(body._links.scaStatus.href),
    }
    const put = (step: object) =>
      bank.call({ operation: 'updateConsentAuthorisation', path, headers: psu, body: step })
    for (let wrong = 0; wrong < 3; wrong++) await put({ psuData: { password: 'wrong' } })
    // Six failed attempts in a row block the PSU for half an hour.
    bank.clock.now += 30 * 60_000
    const confirmed = await put({ confirmationCode: 'abc' })
    t.strictSame([confirmed.status, codeOf(confirmed)], [400, 'SCA_INVALID'])
  })

  t.test('steps out of sequence, doubled or unknown are refused', async (t) => {
    const path = await receivedConsent(bank)
    const step = async (body: object, headers = {}) => {
      const answer = await bank.call({
        operation: 'updateConsentAuthorisation',
        path,
        body,
        headers,
      })
      return [answer.status, answer.body.tppMessages?.[0].code]
    }
    t.strictSame(await step({ scaAuthenticationData: '123456' }), [409, 'STATUS_INVALID'])
    t.strictSame(await step({ authenticationMethodId: 'sms-1' }), [409, 'STATUS_INVALID'])
    t.strictSame(await step({}), [409, 'STATUS_INVALID'])
    t.strictSame(await step({ confirmationCode: 'abc' }), [409, 'STATUS_INVALID'])
    t.strictSame(await step({ psuData: { password: '12345' }, authenticationMethodId: 'sms-1' }), [
      400,
      'FORMAT_ERROR',
    ])
    const other = { 'psu-id': 'anton.brueckner' }
    t.strictSame(await step({ psuData: { password: '12345' } }, other), [
      401,
      'PSU_CREDENTIALS_INVALID',
    ])
    await step({ psuData: { password: '12345' } })
    t.strictSame(await step({ authenticationMethodId: 'pigeon' }), [400, 'SCA_METHOD_UNKNOWN'])
  })

  t.test('an authorisation without a PSU is identified first', async (t) => {
    const created = await bank.call({ operation: 'createConsent', body: request })
    const path = {
      consentId: created.body.consentId,
      authorisationId: lastSegment(created.body._links.scaStatus.href),
    }
    const operation = 'updateConsentAuthorisation'
    const nobody = await bank.call({ operation, path })
    t.strictSame([nobody.status, nobody.body.tppMessages[0].path], [400, 'PSU-ID'])
    const identified = await bank.call({ operation, path, headers: psu })
    t.equal(identified.body.scaStatus, 'psuIdentified')
    t.ok(identified.body._links.updatePsuAuthentication)
  })

  t.test('who does not approve within a day has refused', async (t) => {
    const path = await receivedConsent(bank)
    bank.clock.now += 24 * 3_600_000
    const put = await bank.call({
      operation: 'updateConsentAuthorisation',
      path,
      body: { psuData: { password: '12345' } },
    })
    t.strictSame([put.status, put.body.tppMessages[0].code], [403, 'RESOURCE_EXPIRED'])
    const status = await bank.call({ operation: 'getConsentStatus', path })
    t.equal(status.body.consentStatus, 'rejected')
  })

  t.test('a decoupled approval is answered by the persona after two seconds', async (t) => {
    for (const [alias, outcome] of [
      ['PSU-Successful', 'valid'],
      ['PSU-Rejected', 'rejected'],
      ['PSU-ConsentExpired', 'expired'],
      ['PSU-ConsentRevokedByPsu', 'revokedByPsu'],
    ] as const) {
      const created = await bank.call({
        operation: 'createConsent',
        headers: { 'psu-id': alias, 'tpp-decoupled-preferred': 'true' },
        body: { ...request, access: { allPsd2: 'allAccounts' } },
      })
      t.equal(created.headers['aspsp-sca-approach'], 'DECOUPLED')
      const path = { consentId: created.body.consentId }
      const status = async () =>
        (await bank.call({ operation: 'getConsentStatus', path })).body.consentStatus
      bank.clock.now += 1999
      t.equal(await status(), 'received')
      bank.clock.now += 1
      t.equal(await status(), outcome, alias)
    }
  })

  t.test('a newer recurring consent of the same PSU and TPP ends the older one', async (t) => {
    const applicationId = randomUUID()
    const give = async (body: object, alias = 'PSU-Successful') => {
      const { body: created } = await bank.call({
        operation: 'createConsent',
        applicationId,
        headers: { 'psu-id': alias, 'tpp-decoupled-preferred': 'true' },
        body: { ...request, ...body, access: { allPsd2: 'allAccounts' } },
      })
      bank.clock.now += 2000
      const path = { consentId: created.consentId }
      const status = async () =>
        (await bank.call({ operation: 'getConsentStatus', path, applicationId })).body.consentStatus
      t.equal(await status(), 'valid')
      return status
    }
    const older = await give({})
    const otherPsu = await give({}, 'anton.brueckner')
    const oneOff = await give({ recurringIndicator: false, frequencyPerDay: 1 })
    t.equal(await older(), 'valid')
    const newer = await give({})
    t.strictSame(
      [await older(), await newer(), await oneOff(), await otherPsu()],
      ['expired', 'valid', 'valid', 'valid'],
    )
  })

  t.test('a consent ends with the last day of its validity at the bank', async (t) => {
    const path = await receivedConsent(bank, {
      validUntil: new Date(bank.clock.now).toISOString().slice(0, 10),
    })
    for (const body of [
      { psuData: { password: '12345' } },
      { authenticationMethodId: 'sms-1' },
      { scaAuthenticationData: '123456' },
    ]) {
      await bank.call({ operation: 'updateConsentAuthorisation', path, body })
    }
    const status = async () =>
      (await bank.call({ operation: 'getConsentStatus', path })).body.consentStatus
    t.equal(await status(), 'valid')
    bank.clock.now += 24 * 3_600_000
    t.equal(await status(), 'expired')
    const ended = await bank.call({ operation: 'deleteConsent', path })
    t.strictSame([ended.status, ended.body.tppMessages[0].code], [401, 'CONSENT_EXPIRED'])
  })

  t.test(
    'beside a flag an empty list counts as absent, and null as a member not sent',
    async (t) => {
      for (const access of [
        { accounts: [], balances: [], transactions: [], allPsd2: 'allAccounts' },
        { accounts: null, additionalInformation: null, restrictedTo: null, allPsd2: 'allAccounts' },
      ]) {
        const body = { ...request, access, note: null }
        const created = await bank.call({ operation: 'createConsent', headers: psu, body })
        t.equal(created.status, 201, JSON.stringify(created.body))
        const path = { consentId: created.body.consentId }
        const read = await bank.call({ operation: 'getConsent', path })
        t.strictSame(read.body.access, { allPsd2: 'allAccounts' })
      }
      const body = { ...request, validUntil: null }
      const refused = await bank.call({ operation: 'createConsent', headers: psu, body })
      t.match(refused.body.tppMessages, [{ path: 'validUntil', text: 'Is required' }])
    },
  )

  t.test('a refused access says once what does not go together', async (t) => {
    const account = { iban }
    for (const [access, messages] of [
      [
        { allPsd2: 'allAccounts', accounts: [account], balances: [] },
        ['access.accounts: Must be empty beside allPsd2'],
      ],
      [
        { allPsd2: 'allAccounts', availableAccounts: 'allAccounts' },
        [
          'access.availableAccounts: Is not allowed beside allPsd2',
          'access.allPsd2: Is not allowed beside availableAccounts',
        ],
      ],
      [{ accounts: [], balances: [account] }, ['access.accounts: Must not be empty']],
      [{ accounts: [account], restrictedTo: ['CARD'] }, ['access.restrictedTo: Must be empty']],
      [
        {},
        [
          'access: Must have one of: accounts, balances, transactions, availableAccounts, availableAccountsWithBalance, allPsd2',
        ],
      ],
    ] as const) {
      const body = { ...request, access }
      const answer = await bank.call({ operation: 'createConsent', headers: psu, body })
      const told = answer.body.tppMessages.map(
        ({ path, text }: { path: string; text: string }) => `${path}: ${text}`,
      )
      t.strictSame(told.sort(), [...messages].sort(), JSON.stringify(access))
    }
    const headers = { 'psu-ip-address': '1.2.3.4:80', 'tpp-decoupled-preferred': 'yes' }
    const { body } = await bank.call({ operation: 'createConsent', headers, body: request })
    t.match(
      body.tppMessages.map(({ path, text }: Record<string, string>) => `${path}: ${text}`).sort(),
      [
        'PSU-IP-Address: Must be one of: an IPv4 address; an IPv6 address',
        'TPP-Decoupled-Preferred: Must be true or false',
      ],
    )
  })

  t.test('what contradicts the rules is refused with its code and place', async (t) => {
    for (const [change, code, path] of [
      [{ access: {} }, 'FORMAT_ERROR', 'access'],
      [{ access: undefined }, 'FORMAT_ERROR', 'access'],
      [{ access: { accounts: [], balances: [{ iban }] } }, 'FORMAT_ERROR', 'access.accounts'],
      [{ access: { allPsd2: 'allAccounts', accounts: [{ iban }] } }, 'FORMAT_ERROR', undefined],
      [
        { access: { accounts: [{ iban: 'IL040205710000000200285' }] } },
        'FORMAT_ERROR',
        'access.accounts[0].iban',
      ],
      [
        { access: { accounts: [{ iban }], balances: [{ iban }, { iban: notHers }] } },
        'FORMAT_ERROR',
        'access.balances[1]',
      ],
      [{ frequencyPerDay: 0 }, 'FORMAT_ERROR', 'frequencyPerDay'],
      [{ frequencyPerDay: '4' }, 'FORMAT_ERROR', 'frequencyPerDay'],
      [{ recurringIndicator: false }, 'FORMAT_ERROR', 'frequencyPerDay'],
      [{ validUntil: '2020-01-01' }, 'PERIOD_INVALID', 'validUntil'],
      [{ validUntil: '31.12.2027' }, 'FORMAT_ERROR', 'validUntil'],
      [{ combinedServiceIndicator: true }, 'SESSIONS_NOT_SUPPORTED', 'combinedServiceIndicator'],
    ] as const) {
      const answer = await bank.call({
        operation: 'createConsent',
        headers: psu,
        body: { ...request, ...change },
      })
      t.equal(answer.status, 400, JSON.stringify(change))
      const messages: { code: string; path?: string }[] = answer.body.tppMessages
      t.ok(
        messages.some(
          (message) => message.code === code && (path === undefined || message.path === path),
        ),
        `${JSON.stringify(change)} → ${JSON.stringify(messages)}`,
      )
    }
    for (const [headers, status, code] of [
      [{ 'psu-id': '999' }, 401, 'PSU_CREDENTIALS_INVALID'],
      [{ 'psu-id': 'PSU-Blocked' }, 401, 'PSU_CREDENTIALS_INVALID'],
      [{ 'psu-ip-address': undefined }, 400, 'FORMAT_ERROR'],
      [{ 'psu-ip-address': 'localhost' }, 400, 'FORMAT_ERROR'],
      [{ 'tpp-redirect-preferred': 'true' }, 400, 'FORMAT_ERROR'],
      [{ 'tpp-redirect-preferred': 'maybe' }, 400, 'FORMAT_ERROR'],
      [{ 'tpp-redirect-uri': 'javascript:alert(1)' }, 400, 'FORMAT_ERROR'],
    ] as const) {
      const answer = await bank.call({ operation: 'createConsent', headers, body: request })
      t.strictSame(
        [answer.status, answer.body.tppMessages[0].code],
        [status, code],
        JSON.stringify(headers),
      )
    }
  })

  t.test('a consent that asks for more than the bank gives is shortened, and shown', async (t) => {
    const created = await bank.call({
      operation: 'createConsent',
      headers: psu,
      body: { ...request, validUntil: '9999-12-31', frequencyPerDay: 5000, favourite: 'blue' },
    })
    const path = { consentId: created.body.consentId }
    const { body } = await bank.call({ operation: 'getConsent', path })
    t.ok(body.validUntil < '2031')
    t.equal(body.frequencyPerDay, 100)
  })

  t.test('a consent approved after its last day is rejected, and ends no other', async (t) => {
    const decoupled = { 'psu-id': '305567661', 'tpp-decoupled-preferred': 'true' }
    const create = (validUntil: string) =>
      bank.call({
        operation: 'createConsent',
        headers: decoupled,
        body: {
          access: { allPsd2: 'allAccounts' },
          recurringIndicator: true,
          validUntil,
          frequencyPerDay: 4,
          combinedServiceIndicator: false,
        },
      })
    const status = async (made: Awaited<ReturnType<typeof create>>) => {
      const path = { consentId: made.body.consentId }
      return (await bank.call({ operation: 'getConsentStatus', path })).body.consentStatus
    }
    const good = await create('2027-11-20')
    bank.clock.now += 2000
    t.equal(await status(good), 'valid')
    const today = new Date(bank.clock.now + 2 * 3_600_000).toISOString().slice(0, 10)
    bank.clock.now = Date.parse(`${today}T21:59:59Z`)
    const late = await create(today)
    bank.clock.now += 2000
    t.equal(await status(late), 'rejected')
    t.equal(await status(good), 'valid')
  })
})

t.test(
  'a drill of an expired consent that names no consent is refused before it acts',
  async (t) => {
    const bank = await testBank(t)
    const payment = {
      instructedAmount: { currency: 'ILS', amount: '10.00' },
      debtorAccount: { iban },
      creditorAccount: { iban: 'IL090123450000000123456' },
      creditorName: 'Galil Water',
      remittanceInformationUnstructured: 'Water',
    }
    const calls = [
      { operation: 'initiatePayment', path: { 'payment-product': 'fp' }, body: payment },
      { operation: 'createConsent', body: request },
      // It takes no consent, so the bank looks at none.
      { operation: 'createConsent', body: request, headers: { 'consent-id': randomUUID() } },
    ]
    for (const { headers, ...call } of calls) {
      const made = { ...call, headers: { ...psu, ...headers }, drill: 'consent-expired' } as const
      const answer = await bank.call(made)
      t.equal(answer.status, 401, call.operation)
      t.equal(codeOf(answer), 'CONSENT_EXPIRED', call.operation)
    }
    const db = bank.database.connect<BankSchema>().withSchema('bank')
    t.same(await db.selectFrom('payments').select('id').execute(), [])
  },
)

async function receivedConsent(bank: TestBank, change = {}) {
  const { body } = await bank.call({
    operation: 'createConsent',
    headers: psu,
    body: { ...request, ...change },
  })
  return {
    consentId: String(body.consentId),
    authorisationId: lastSegment(body._links.scaStatus.href),
  }
}
