import { randomUUID } from 'node:crypto'
import t from 'tap'
import { lastSegment, testBank } from '../support/bank.ts'

const iban = 'IL030205710000000200285'
const redirectUri = 'https://app.tpp.example/return?session=71'
const nokUri = 'https://nok.tpp.example/declined'
const redirect = { 'tpp-redirect-uri': redirectUri, 'tpp-nok-redirect-uri': nokUri }
const payment = {
  instructedAmount: { currency: 'ILS', amount: '75' },
  creditorAccount: { iban: 'IL090123450000000123456' },
  creditorName: '<script>alert("מי גליל")</script>',
  remittanceInformationUnstructured: 'Dinner & more',
}

t.test('the page where a PSU approves', async (t) => {
  const bank = await testBank(t)
  const { sca } = bank.backend

  async function initiate(headers: object = {}) {
    const { body, headers: answered } = await bank.call({
      operation: 'initiatePayment',
      version: '1.6.0',
      path: { 'payment-product': 'fp' },
      headers: { ...redirect, ...headers },
      body: payment,
    })
    t.equal(answered['aspsp-sca-approach'], 'REDIRECT')
    const href: string = body._links.scaRedirect.href
    t.match(href, /^http:\/\/sca\.bank\.test\/authorise\//)
    const path = {
      'payment-product': 'fp',
      paymentId: String(body.paymentId),
      authorisationId: lastSegment(href),
    }
    return { url: new URL(href).pathname, path }
  }

  async function open(url: string) {
    const page = await sca.inject({ url })
    const cookie = String(page.headers['set-cookie']).split(';')[0] ?? ''
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      sca.inject({
        method: 'POST',
        url,
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        payload: new URLSearchParams({ csrf, ...fields }).toString(),
      })
    return { page, post }
  }

  const noa = { psu: '305567661', password: '12345' }
  const statusOf = async (path: Readonly<Record<string, string>>) =>
    (await bank.call({ operation: 'getPaymentStatus', path })).body.transactionStatus

  t.test('shows what is approved, escaped, under strict headers', async (t) => {
    const { url } = await initiate({ 'psu-id': '305567661' })
    const { page } = await open(url)
    t.equal(page.statusCode, 200)
    t.notMatch(page.body, /<script/)
    t.match(page.body, /&lt;script&gt;alert\(&quot;מי גליל&quot;\)/)
    t.match(page.body, /75\.00 ILS/)
    t.match(page.body, /Dinner &amp; more/)
    t.match(page.body, /value="305567661"/)
    const policy = String(page.headers['content-security-policy'])
    t.match(policy, /default-src 'none'/)
    t.match(policy, /form-action 'self' https:\/\/app\.tpp\.example https:\/\/nok\.tpp\.example;/)
    t.match(policy, /frame-ancestors 'none'/)
    t.equal(page.headers['cache-control'], 'no-store')
    t.equal(page.headers['referrer-policy'], 'no-referrer')
    t.match(String(page.headers['set-cookie']), /HttpOnly; SameSite=Strict/)
    t.equal((await sca.inject({ url: '/style.css' })).statusCode, 200)
  })

  t.test('approving sends the PSU back and the payment on, once', async (t) => {
    const { url, path } = await initiate()
    const { post } = await open(url)
    const done = await post({ ...noa, decision: 'approve' })
    t.equal(done.statusCode, 303)
    t.equal(done.headers.location, redirectUri)
    t.equal(await statusOf(path), 'ACTC')
    const read = await bank.call({ operation: 'getPaymentAuthorisation', path })
    t.equal(read.body.scaStatus, 'finalised')
    t.equal((await post({ ...noa, decision: 'refuse' })).statusCode, 404, 'the link is used up')
    t.equal((await sca.inject({ url })).statusCode, 404)
  })

  t.test(
    'refusing, and the third wrong password, reject and lead to the other address',
    async (t) => {
      const refused = await initiate()
      const no = await (await open(refused.url)).post({ ...noa, decision: 'refuse' })
      t.equal(no.headers.location, nokUri)
      t.equal(await statusOf(refused.path), 'RJCT')

      const guessed = await initiate()
      const { post } = await open(guessed.url)
      const wrong = { psu: '305567661', password: 'wrong', decision: 'approve' }
      for (let attempt = 1; attempt <= 2; attempt++) {
        const answer = await post(wrong)
        t.equal(answer.statusCode, 422)
        t.match(answer.body, /role="alert"/)
        t.notMatch(answer.body, /wrong"/)
        t.equal(await statusOf(guessed.path), 'RCVD')
      }
      const last = await post(wrong)
      t.equal(last.headers.location, nokUri)
      t.equal(await statusOf(guessed.path), 'RJCT')
    },
  )

  t.test('nobody but the PSU of the payment can approve it', async (t) => {
    const { url, path } = await initiate({ 'psu-id': '305567661' })
    const { post } = await open(url)
    const other = await post({ psu: 'anton.brueckner', password: '12345', decision: 'approve' })
    t.equal(other.statusCode, 422)
    t.equal(await statusOf(path), 'RCVD')
    const foreignPut = await bank.call({
      operation: 'updatePaymentAuthorisation',
      path,
      body: { psuData: { password: '12345' } },
    })
    t.strictSame(
      [foreignPut.status, foreignPut.body.tppMessages[0].code],
      [403, 'SERVICE_BLOCKED'],
      'not through the TPP either',
    )
  })

  t.test('what nobody types is answered by a page of ours, under strict headers', async (t) => {
    const { url, path } = await initiate()
    const { post } = await open(url)
    const odd = await post({ ...noa, psu: 'a\u0000b', decision: 'approve' })
    t.equal(odd.statusCode, 422)
    t.equal(await statusOf(path), 'RCVD')
    const malformed = await sca.inject({ url: '/authorise/%ff<script>' })
    t.equal(malformed.statusCode, 400)
    t.match(malformed.headers['content-type'], 'text/html')
    t.match(malformed.headers['content-security-policy'], "default-src 'none'")
    t.notOk(malformed.body.includes('script'))
  })

  t.test('a form of another site decides nothing', async (t) => {
    const { url, path } = await initiate()
    const { post } = await open(url)
    const fields = { ...noa, decision: 'approve' }
    for (const attempt of [
      post({ ...fields, csrf: 'x'.repeat(43) }),
      post({ ...fields, csrf: '' }),
      post(fields, { cookie: '' }),
      post(fields, { 'sec-fetch-site': 'cross-site' }),
      sca.inject({ method: 'POST', url, payload: fields }),
    ]) {
      t.ok([403, 415].includes((await attempt).statusCode))
    }
    t.equal(await statusOf(path), 'RCVD')
  })

  t.test('a link works for ten minutes, and none works that was never made', async (t) => {
    const { url, path } = await initiate()
    bank.clock.now += 10 * 60_000
    t.equal((await sca.inject({ url })).statusCode, 404)
    t.equal(await statusOf(path), 'RCVD', 'the payment itself waits for its day')
    t.equal((await sca.inject({ url: `/authorise/${randomUUID()}` })).statusCode, 404)
    t.equal((await sca.inject({ url: '/authorise/x' })).statusCode, 404)
    const embedded = await bank.call({
      operation: 'initiatePayment',
      version: '1.6.0',
      path: { 'payment-product': 'fp' },
      body: payment,
    })
    const id = lastSegment(embedded.body._links.scaStatus.href)
    t.equal((await sca.inject({ url: `/authorise/${id}` })).statusCode, 404, 'not by redirect')
  })

  t.test('consents, mandates and cancellations are approved there, too', async (t) => {
    const consent = await bank.call({
      operation: 'createConsent',
      headers: redirect,
      body: {
        access: { accounts: [{ iban }], transactions: [{ iban }] },
        recurringIndicator: true,
        validUntil: '2027-05-31',
        frequencyPerDay: 4,
        combinedServiceIndicator: false,
      },
    })
    const consentPage = await open(new URL(consent.body._links.scaRedirect.href).pathname)
    t.match(consentPage.page.body, new RegExp(iban))
    const given = await consentPage.post({ ...noa, decision: 'approve' })
    t.equal(given.headers.location, redirectUri)
    const path = { consentId: consent.body.consentId }
    t.equal((await bank.call({ operation: 'getConsentStatus', path })).body.consentStatus, 'valid')

    const mandate = await bank.call({
      operation: 'createMandate',
      headers: redirect,
      body: {
        mandateId: 'M-1',
        type: { localInstrumentCode: 'MASAV' },
        creditor: { name: 'Galil Water Works' },
        debtor: { name: 'Noa Levi' },
        debtorAccount: { iban },
      },
    })
    const mandatePage = await open(new URL(mandate.body._links.scaRedirect.href).pathname)
    await mandatePage.post({ ...noa, decision: 'approve' })
    const resourceId = mandate.body.mandateResourceId
    const status = await bank.call({ operation: 'getMandateStatus', path: { resourceId } })
    t.equal(status.body.mandateStatus, 'valid')

    const masav = { 'payment-product': 'masav' }
    const made = await bank.call({
      operation: 'initiatePayment',
      path: masav,
      headers: redirect,
      body: payment,
    })
    await (await open(new URL(made.body._links.scaRedirect.href).pathname)).post({
      ...noa,
      decision: 'approve',
    })
    const paymentPath = { ...masav, paymentId: made.body.paymentId }
    const cancelled = await bank.call({
      operation: 'cancelPayment',
      path: paymentPath,
      headers: redirect,
    })
    t.equal(cancelled.body.transactionStatus, 'ACTC')
    const page = await open(new URL(cancelled.body._links.scaRedirect.href).pathname)
    t.match(page.page.body, /Cancel an approved payment/)
    await page.post({ ...noa, decision: 'approve' })
    t.equal(await statusOf(paymentPath), 'CANC')
  })

  t.test('an account the PSU does not have rejects what names it', async (t) => {
    const { body } = await bank.call({
      operation: 'createConsent',
      headers: redirect,
      body: {
        access: { accounts: [{ iban: 'DE89370400440532013000' }] },
        recurringIndicator: true,
        validUntil: '2027-05-31',
        frequencyPerDay: 4,
        combinedServiceIndicator: false,
      },
    })
    const { post } = await open(new URL(body._links.scaRedirect.href).pathname)
    t.equal((await post({ ...noa, decision: 'approve' })).headers.location, nokUri)
    const path = { consentId: body.consentId }
    const status = await bank.call({ operation: 'getConsentStatus', path })
    t.equal(status.body.consentStatus, 'rejected')
  })
})
