import { randomUUID } from 'node:crypto'
import t from 'tap'
import { lastSegment, type TestAnswer, type TestBank, testBank } from '../support/bank.ts'
import { postgresMissing } from '../support/database.ts'
import { mandateRequest } from '../support/requests.ts'

const consent = {
  access: { allPsd2: 'allAccounts' },
  recurringIndicator: true,
  validUntil: '2027-05-31',
  frequencyPerDay: 3,
  combinedServiceIndicator: false,
}
const psu = { 'psu-id': '305567661' }
const payment = {
  instructedAmount: { currency: 'ILS', amount: '10' },
  creditorAccount: { iban: 'IL910205710000000445566' },
  creditorName: 'Savings',
  remittanceInformationUnstructured: 'Ten',
}
/** What each POST makes, and the member of its answer that names it. */
const posts = [
  { operation: 'createConsent', id: 'consentId', body: consent },
  {
    operation: 'initiatePayment',
    id: 'paymentId',
    path: { 'payment-product': 'fp' },
    body: payment,
  },
  { operation: 'createMandate', id: 'mandateResourceId', body: mandateRequest },
]
const main = '3b0b3b6a-6f3c-4b0e-9a2f-0f7f1c2f4a55'

// The embedded database runs one statement at a time: nothing happens at once there.
t.test('what happens at once', { skip: postgresMissing() }, async (t) => {
  const bank = await testBank(t)
  const pay = () =>
    bank.call({
      operation: 'initiatePayment',
      path: { 'payment-product': 'fp' },
      headers: { ...psu, 'tpp-decoupled-preferred': 'true' },
      body: payment,
    })
  const readStatus = ({ body }: TestAnswer) =>
    bank.call({
      operation: 'getPaymentStatus',
      path: { 'payment-product': 'fp', paymentId: body.paymentId },
    })

  for (const { operation, id, ...wanted } of posts) {
    t.test(
      `of 50 equal POSTs at once one makes something, all get its answer: ${operation}`,
      async (t) => {
        const headers = { ...psu, 'x-request-id': randomUUID() }
        const answers = await together(50, () => bank.call({ operation, headers, ...wanted }))
        t.strictSame(
          answers.map(({ status }) => status),
          Array(50).fill(201),
        )
        t.equal(new Set(answers.map(({ body }) => body[id])).size, 1)
      },
    )
  }

  for (const [what, body, status] of [
    ['password', { psuData: { password: '12345' } }, 'psuAuthenticated'],
    ['one-time password', { scaAuthenticationData: '123456' }, 'finalised'],
  ] as const) {
    t.test(`of 50 PUTs of the right ${what} at once exactly one has an effect`, async (t) => {
      const { body: made } = await bank.call({
        operation: 'initiatePayment',
        path: { 'payment-product': 'fp' },
        headers: psu,
        body: payment,
      })
      const before = await booked(bank)
      const path = {
        'payment-product': 'fp',
        paymentId: made.paymentId,
        authorisationId: lastSegment(made._links.updatePsuAuthentication.href),
      }
      const update = (body: object) =>
        bank.call({ operation: 'updatePaymentAuthorisation', path, body })
      if (status === 'finalised') {
        await update({ psuData: { password: '12345' } })
        await update({ authenticationMethodId: 'sms-1' })
      }
      const answers = await together(50, () => update(body))
      t.strictSame(answers.map((answer) => answer.status).sort(), [200, ...Array(49).fill(409)])
      t.equal(answers.find((answer) => answer.status === 200)?.body.scaStatus, status)
      bank.clock.now += 2000
      t.equal(await booked(bank), status === 'finalised' ? before - 10 : before)
    })
  }

  t.test('of open mandates with one reference exactly one is made', async (t) => {
    const answers = await together(8, () =>
      bank.call({
        operation: 'createMandate',
        headers: psu,
        body: { ...mandateRequest, mandateId: 'ONE' },
      }),
    )
    t.strictSame(answers.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)])
  })

  t.test('three wrong passwords at once are three, however they meet', async (t) => {
    const { body } = await bank.call({ operation: 'createConsent', headers: psu, body: consent })
    const path = {
      consentId: body.consentId,
      authorisationId: lastSegment(body._links.scaStatus.href),
    }
    const answers = await together(10, () =>
      bank.call({
        operation: 'updateConsentAuthorisation',
        path,
        body: { psuData: { password: 'wrong' } },
      }),
    )
    t.strictSame(answers.map(({ status }) => status).sort(), [
      ...Array(3).fill(401),
      ...Array(7).fill(409),
    ])
    const status = await bank.call({ operation: 'getConsentStatus', path })
    t.equal(status.body.consentStatus, 'rejected')
  })

  t.test('a payment that many readers and the job settle at once is booked once', async (t) => {
    const before = await booked(bank)
    const made = await together(5, pay)
    bank.clock.now += 2000
    const read = () =>
      Promise.all(made.flatMap((one) => Array.from({ length: 5 }, () => readStatus(one))))
    await read()
    bank.clock.now += 2000
    const answers = await read()
    t.ok(answers.every(({ body }) => body.transactionStatus === 'ACSC'))
    t.equal(await booked(bank), before - 50)
  })

  t.test('reads without the PSU never exceed the frequency', async (t) => {
    const { body } = await bank.call({
      operation: 'createConsent',
      headers: { ...psu, 'tpp-decoupled-preferred': 'true' },
      body: consent,
    })
    bank.clock.now += 2000
    const headers = { 'consent-id': body.consentId, 'psu-ip-address': undefined }
    const answers = await together(12, () => bank.call({ operation: 'listAccounts', headers }))
    t.strictSame(answers.map(({ status }) => status).sort(), [
      ...Array(3).fill(200),
      ...Array(9).fill(429),
    ])
  })

  t.test(
    'payments of one account that are answered and booked at once wait for each other',
    async (t) => {
      const made = await together(8, pay)
      bank.clock.now += 10_000
      const answers = await Promise.all(made.map(readStatus))
      t.strictSame([...new Set(answers.map(({ body }) => body.transactionStatus))], ['ACSC'])
    },
  )

  t.test(
    'payments under a consent, while a newer one takes its place, are made or refused',
    async (t) => {
      const create = () =>
        bank.call({
          operation: 'createConsent',
          headers: { ...psu, 'tpp-decoupled-preferred': 'true' },
          body: consent,
        })
      for (let round = 0; round < 5; round += 1) {
        const { body: old } = await create()
        bank.clock.now += 2000
        await bank.call({ operation: 'getConsent', path: { consentId: old.consentId } })
        const { body: newer } = await create()
        bank.clock.now += 2000
        const [, ...answers] = await Promise.all([
          bank.call({ operation: 'getConsent', path: { consentId: newer.consentId } }),
          ...Array.from({ length: 6 }, () =>
            bank.call({
              operation: 'initiatePayment',
              path: { 'payment-product': 'fp' },
              headers: { ...psu, 'consent-id': old.consentId },
              body: payment,
            }),
          ),
        ])
        t.ok(answers.every(({ status }) => status === 201 || status === 401))
      }
    },
  )

  t.test('of recurring consents approved at once exactly one stays valid', async (t) => {
    const applicationId = randomUUID()
    const made = await together(6, () =>
      bank.call({
        operation: 'createConsent',
        applicationId,
        headers: { ...psu, 'tpp-decoupled-preferred': 'true' },
        body: consent,
      }),
    )
    bank.clock.now += 2000
    const states = () =>
      Promise.all(
        made.map(async ({ body }) => {
          const path = { consentId: body.consentId }
          const answer = await bank.call({ operation: 'getConsentStatus', path, applicationId })
          return answer.body.consentStatus
        }),
      )
    await states()
    t.strictSame((await states()).sort(), [...Array(5).fill('expired'), 'valid'])
  })
})

function together<Result>(times: number, work: () => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, work))
}

async function booked(bank: TestBank): Promise<number> {
  const { body } = await bank.call({
    operation: 'createConsent',
    applicationId: 'reader',
    headers: { ...psu, 'tpp-decoupled-preferred': 'true' },
    body: consent,
  })
  bank.clock.now += 2000
  const balances = await bank.call({
    operation: 'getAccountBalances',
    applicationId: 'reader',
    headers: { 'consent-id': body.consentId },
    path: { 'account-id': main },
  })
  const [found] = balances.body.balances.filter(
    ({ balanceType }: { balanceType: string }) => balanceType === 'interimBooked',
  )
  return Number(found.balanceAmount.amount)
}
