import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { lastSegment, testBank } from '../support/bank.ts'
import { approval, decideOnPage, noa, scaBrowser } from '../support/sca-browser.ts'

const iban = 'IL030205710000000200285'
const redirectUri = 'https://app.tpp.example/return?session=71'
const nokUri = 'https://nok.tpp.example/declined'
const redirect = { 'tpp-redirect-uri': redirectUri, 'tpp-nok-redirect-uri': nokUri }
const payment = {
  debtorAccount: { iban },
  instructedAmount: { currency: 'ILS', amount: '75' },
  creditorAccount: { iban: 'IL090123450000000123456' },
  creditorName: '<script>alert("מי גליל")</script>',
  remittanceInformationUnstructured: 'Dinner & more',
}
const consent = {
  access: { accounts: [{ iban }], transactions: [{ iban }] },
  recurringIndicator: true,
  validUntil: '2027-05-31',
  frequencyPerDay: 4,
  combinedServiceIndicator: false,
}

t.test('the pages where a PSU approves', async (t) => {
  const bank = await testBank(t)
  const { sca } = bank.backend

  async function initiate(headers: object = {}, body: object = payment) {
    const { body: created, headers: answered } = await bank.call({
      operation: 'initiatePayment',
      version: '1.6.0',
      path: { 'payment-product': 'fp' },
      headers: { ...redirect, ...headers },
      body,
    })
    t.equal(answered['aspsp-sca-approach'], 'REDIRECT')
    const href: string = created._links.scaRedirect.href
    t.match(href, /^http:\/\/sca\.bank\.test\/authorise\//)
    const path = {
      'payment-product': 'fp',
      paymentId: String(created.paymentId),
      authorisationId: lastSegment(href),
    }
    return { url: new URL(href).pathname, path, links: created._links }
  }

  const statusOf = async (path: Readonly<Record<string, string>>) =>
    (await bank.call({ operation: 'getPaymentStatus', path })).body.transactionStatus
  const scaOf = async (path: Readonly<Record<string, string>>) =>
    (await bank.call({ operation: 'getPaymentAuthorisation', path })).body

  t.test(
    'who has only the link sees no more than what kind of approval is asked for',
    async (t) => {
      const { url } = await initiate({ 'psu-id': '305567661' })
      const page = await scaBrowser(sca).get(url)
      t.equal(page.status, 200)
      t.match(page.body, /Approve a payment/)
      t.match(page.body, /value="305567661"/)
      t.notMatch(page.body, /75\.00|Dinner|IL03/)
      const direct = await scaBrowser(sca).get(`${url}/decision`)
      t.strictSame([direct.status, direct.headers['location']], [303, url])
    },
  )

  t.test('who has signed in sees what is approved, escaped, under strict headers', async (t) => {
    const { url } = await initiate({ 'psu-id': '305567661' })
    const browser = scaBrowser(sca)
    const page = await browser.signIn(url, noa)
    t.equal(page.status, 200)
    t.notMatch(page.body, /<script/)
    t.match(page.body, /&lt;script&gt;alert\(&quot;מי גליל&quot;\)/)
    t.match(page.body, /₪75\.00/)
    t.match(page.body, /Dinner &amp; more/)
    t.match(page.body, /Noa Levi/)
    const policy = page.headers['content-security-policy']
    t.match(policy, /default-src 'none'/)
    t.match(policy, /form-action 'self' https:\/\/app\.tpp\.example https:\/\/nok\.tpp\.example;/)
    t.match(policy, /frame-ancestors 'none'/)
    t.equal(page.headers['cache-control'], 'no-store')
    t.equal(page.headers['referrer-policy'], 'no-referrer')
    t.match((await scaBrowser(sca).get(url)).headers['set-cookie'], /HttpOnly; SameSite=Strict/)
    t.equal((await sca.inject({ url: '/style.css' })).statusCode, 200)
    t.equal((await scaBrowser(sca).get(`${url}/decision`)).status, 303, 'another browser')
  })

  t.test('approving sends the PSU back and the payment on, once', async (t) => {
    const { url, path } = await initiate()
    t.equal((await scaOf(path)).scaStatus, 'received')
    const browser = scaBrowser(sca)
    await browser.get(url)
    const signedIn = await browser.submit(url, { ...noa })
    t.strictSame([signedIn.status, signedIn.headers['location']], [303, `${url}/decision`])
    t.equal((await scaOf(path)).scaStatus, 'psuAuthenticated')
    await browser.get(`${url}/decision`)
    const started = await scaOf(path)
    t.strictSame([started.scaStatus, started.psuName], ['started', 'Noa Levi'])
    const done = await browser.submit(`${url}/decision`, approval)
    t.strictSame([done.status, done.headers['location']], [303, redirectUri])
    t.equal(await statusOf(path), 'ACTC')
    t.equal((await scaOf(path)).scaStatus, 'finalised')
    const again = await browser.submit(`${url}/decision`, { ...approval, decision: 'refuse' })
    t.equal(again.headers['location'], redirectUri, 'sent twice, it leads to the same place')
    t.equal(await statusOf(path), 'ACTC')
    t.equal((await browser.get(url)).status, 404, 'the link is used up')
  })

  t.test(
    'refusing, and three wrong passwords or codes, reject and lead to the other address',
    async (t) => {
      const refused = await initiate()
      const no = await decideOnPage(sca, refused.url, { decision: 'refuse', code: '' })
      t.equal(no.headers['location'], nokUri)
      t.equal(await statusOf(refused.path), 'RJCT')

      const guessed = await initiate()
      const guesser = scaBrowser(sca)
      await guesser.get(guessed.url)
      for (let attempt = 1; attempt <= 2; attempt++) {
        const answer = await guesser.submit(guessed.url, { ...noa, password: 'wrong' })
        t.equal(answer.status, 422)
        t.match(answer.body, /role="alert"/)
        t.notMatch(answer.body, /value="wrong"/)
        t.equal(await statusOf(guessed.path), 'RCVD')
      }
      const last = await guesser.submit(guessed.url, { ...noa, password: 'wrong' })
      t.equal(last.headers['location'], nokUri)
      t.equal(await statusOf(guessed.path), 'RJCT')
      // Ends the row of failed attempts, which would block the PSU.
      await decideOnPage(sca, (await initiate()).url)

      const coded = await initiate()
      const browser = scaBrowser(sca)
      await browser.signIn(coded.url, noa)
      for (let attempt = 1; attempt <= 2; attempt++) {
        const answer = await browser.submit(`${coded.url}/decision`, {
          ...approval,
          code: '000000',
        })
        t.equal(answer.status, 422)
        t.equal(await statusOf(coded.path), 'RCVD')
      }
      const third = await browser.submit(`${coded.url}/decision`, { ...approval, code: '000000' })
      t.equal(third.headers['location'], nokUri)
      t.equal(await statusOf(coded.path), 'RJCT')
    },
  )

  t.test('only the PSU of the payment can approve it, in only one browser', async (t) => {
    const { url, path } = await initiate({ 'psu-id': '305567661' })
    const other = await scaBrowser(sca).signIn(url, { psu: 'anton.brueckner', password: '12345' })
    t.equal(other.status, 422)
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
    const first = scaBrowser(sca)
    await first.signIn(url, noa)
    await scaBrowser(sca).signIn(url, noa)
    const stale = await first.submit(`${url}/decision`, approval)
    t.strictSame([stale.status, stale.headers['location']], [303, `${url}?signed-in-elsewhere`])
    const why = await first.get(stale.headers['location'] ?? '')
    t.match(why.body, 'You signed in for the same approval in another browser', 'it says why')
    t.equal(await statusOf(path), 'RCVD')
  })

  t.test(
    'a sign-in that an approval in another browser overtakes does not send the PSU back as refused',
    async (t) => {
      // The sign-in begins a little later in each round, so that in some the approval comes between its two steps.
      for (let turns = 0; turns < 24; turns++) {
        const { url, path } = await initiate({ 'psu-id': '305567661' })
        const [approving, late] = [scaBrowser(sca), scaBrowser(sca)]
        await approving.signIn(url, noa)
        await late.get(url)
        const approved = approving.submit(`${url}/decision`, approval)
        for (let turn = 0; turn < turns; turn++) await setImmediate()
        const answer = await late.submit(url, { ...noa })
        await approved
        const isFirst = answer.headers['location'] === `${url}/decision`
        t.ok(isFirst || answer.status === 404, `${answer.status} ${answer.headers['location']}`)
        t.equal((await scaOf(path)).scaStatus, isFirst ? 'started' : 'finalised')
      }
    },
  )

  t.test('unexpected input gets one of our pages, with strict headers', async (t) => {
    const { url, path } = await initiate()
    const browser = scaBrowser(sca)
    const odd = await browser.signIn(url, { ...noa, psu: 'a\u0000b' })
    t.equal(odd.status, 422)
    t.equal(await statusOf(path), 'RCVD')
    const malformed = await browser.get('/authorise/%ff<script>')
    t.equal(malformed.status, 400)
    t.match(malformed.headers['content-type'], 'text/html')
    t.match(malformed.headers['content-security-policy'], "default-src 'none'")
    t.notOk(malformed.body.includes('script'))
  })

  t.test('the PSU is sent back over TLS, or to the own machine', async (t) => {
    const answerTo = (address: string, name = 'tpp-redirect-uri') =>
      bank.call({
        operation: 'initiatePayment',
        path: { 'payment-product': 'fp' },
        headers: { ...redirect, [name]: address },
        body: payment,
      })
    for (const host of ['127.0.0.1:3000', 'localhost:3000', '[::1]']) {
      t.equal((await answerTo(`http://${host}/back`)).status, 201, host)
    }
    for (const [header, path] of [
      ['tpp-redirect-uri', 'TPP-Redirect-URI'],
      ['tpp-nok-redirect-uri', 'TPP-Nok-Redirect-URI'],
    ] as const) {
      for (const host of ['evil.example', '127.0.0.1.evil.example', '192.0.2.1']) {
        const { status, body } = await answerTo(`http://${host}/cb`, header)
        t.strictSame([status, body.tppMessages[0].path], [400, path], host)
      }
    }
  })

  t.test('an application that may name no address gets that reason', async (t) => {
    const call = {
      operation: 'initiatePayment',
      path: { 'payment-product': 'fp' },
      headers: redirect,
      body: payment,
    }
    const { status, body } = await bank.call({ ...call, redirects: [] })
    t.equal(status, 400)
    t.match(body.tppMessages[0], { path: 'TPP-Redirect-URI', text: /has registered: none\./ })
    const long = Array.from({ length: 10 }, (_, at) => `https://${'a'.repeat(60)}-${at}.example`)
    const cut = (await bank.call({ ...call, redirects: long })).body.tppMessages[0].text
    t.match(cut, /Settings of the application$/, 'a long list is cut, not the advice')
    const registered = [new URL(redirectUri).origin, new URL(nokUri).origin]
    t.equal((await bank.call({ ...call, redirects: registered })).status, 201)
  })

  t.test('an address whose host would mean something in a policy is refused', async (t) => {
    for (const host of ['x;sandbox', 'x,y', "x'y"]) {
      const answer = await bank.call({
        operation: 'initiatePayment',
        path: { 'payment-product': 'fp' },
        headers: { 'tpp-redirect-uri': `https://${host}/` },
        body: payment,
      })
      t.strictSame(
        [answer.status, answer.body.tppMessages[0].path],
        [400, 'TPP-Redirect-URI'],
        host,
      )
    }
  })

  t.test('two approvals can be open in one browser', async (t) => {
    const [first, second] = [await initiate(), await initiate()]
    const browser = scaBrowser(sca)
    const page = await browser.signIn(first.url, noa)
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    await browser.signIn(second.url, noa)
    const done = await browser.submit(`${first.url}/decision`, { ...approval, csrf })
    t.equal(done.headers['location'], redirectUri)
  })

  t.test('a form of another site decides nothing', async (t) => {
    const { url, path } = await initiate()
    const browser = scaBrowser(sca)
    await browser.signIn(url, noa)
    for (const target of [url, `${url}/decision`]) {
      const fields = { ...noa, ...approval }
      for (const attempt of [
        browser.submit(target, { ...fields, csrf: 'x'.repeat(43) }),
        browser.submit(target, { ...fields, csrf: '' }),
        browser.submit(target, fields, { cookie: '' }),
        browser.submit(target, fields, { 'sec-fetch-site': 'cross-site' }),
      ]) {
        t.equal((await attempt).status, 403)
      }
      const json = await sca.inject({ method: 'POST', url: target, payload: fields })
      t.equal(json.statusCode, 415)
    }
    t.equal(await statusOf(path), 'RCVD')
  })

  t.test('a cookie and a token of another page or browser decide nothing', async (t) => {
    const [mine, theirs] = [await initiate(), await initiate()]
    /** What an attacker can get from a page, to toss it into the browser of another. */
    const pageOf = async (url: string) => {
      const { headers, body } = await scaBrowser(sca).get(url)
      const secret = /sca_csrf=([^;]+)/.exec(headers['set-cookie'] ?? '')?.[1] ?? ''
      return { secret, csrf: /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '' }
    }
    const own = await pageOf(mine.url)
    t.not(own.secret, own.csrf, 'the cookie alone is no token')
    const signIn = (url: string, { secret, csrf }: typeof own) =>
      scaBrowser(sca).submit(url, { ...noa, csrf }, { cookie: `sca_csrf=${secret}` })
    t.equal((await signIn(theirs.url, own)).status, 403, 'of another approval')
    t.equal((await signIn(theirs.url, { ...own, csrf: own.secret })).status, 403, 'unsigned')

    const browser = scaBrowser(sca)
    await browser.signIn(theirs.url, noa)
    const tossed = { ...approval, csrf: (await pageOf(theirs.url)).csrf }
    t.equal((await browser.submit(`${theirs.url}/decision`, tossed)).status, 403, 'before sign-in')
    t.equal(await statusOf(theirs.path), 'RCVD')
  })

  t.test('a link works for ten minutes, and none works that was never made', async (t) => {
    const { url, path } = await initiate()
    const browser = scaBrowser(sca)
    await browser.signIn(url, noa)
    bank.clock.now += 10 * 60_000
    t.equal((await browser.get(url)).status, 404)
    t.equal((await browser.submit(`${url}/decision`, approval)).status, 404)
    t.equal(await statusOf(path), 'RCVD', 'the payment itself waits for its day')
    t.equal((await browser.get(`/authorise/${randomUUID()}`)).status, 404)
    t.equal((await browser.get('/authorise/x')).status, 404)
    const embedded = await bank.call({
      operation: 'initiatePayment',
      version: '1.6.0',
      path: { 'payment-product': 'fp' },
      body: payment,
    })
    const id = lastSegment(embedded.body._links.scaStatus.href)
    t.equal((await browser.get(`/authorise/${id}`)).status, 404, 'not by redirect')
  })

  t.test(
    'what the TPP left open the PSU picks: the account to pay from, the accounts to show',
    async (t) => {
      const { debtorAccount: _, ...open } = payment
      const paid = await initiate({}, open)
      const browser = scaBrowser(sca)
      const page = await browser.signIn(paid.url, noa)
      const [choice = ''] = /type="radio"[^>]*>.*?<\/label>/s.exec(page.body) ?? []
      t.match(choice, 'Home')
      const none = await browser.submit(`${paid.url}/decision`, approval)
      t.equal(none.status, 422, 'nothing picked')
      const foreign = { ...approval, account: randomUUID() }
      t.equal((await browser.submit(`${paid.url}/decision`, foreign)).status, 422, 'not offered')
      await decideOnPage(sca, paid.url)
      const read = await bank.call({ operation: 'getPayment', path: paid.path })
      t.strictSame(read.body.debtorAccount, { iban, currency: 'ILS' })

      const offered = await bank.call({
        operation: 'createConsent',
        headers: redirect,
        body: { ...consent, access: { accounts: [], balances: [] } },
      })
      const savings = '6a1f0a0c-93a8-4a3e-8c27-5f3d3c1d7b10'
      await decideOnPage(sca, offered.body._links.scaRedirect.href, { account: [savings] })
      const path = { consentId: offered.body.consentId }
      const granted = await bank.call({ operation: 'getConsent', path })
      const reference = { iban: 'IL910205710000000445566', currency: 'ILS' }
      t.strictSame(granted.body.access, { accounts: [reference], balances: [reference] })
      const list = await bank.call({
        operation: 'listAccounts',
        headers: { 'consent-id': path.consentId },
      })
      t.strictSame(
        list.body.accounts.map((account: { resourceId: string }) => account.resourceId),
        [savings],
      )
    },
  )

  t.test(
    'an approval that has to be confirmed counts when the TPP has shown the code',
    async (t) => {
      const rivka = { psu: '310000138', password: '12345' }
      const { debtorAccount: _, ...open } = payment
      const approve = async () => {
        const uri = { 'tpp-redirect-uri': `${redirectUri}&state=abc%20d#done` }
        const made = await initiate({ 'psu-id': 'PSU-Confirmation', ...uri }, open)
        t.ok(made.links.confirmation, 'announced')
        const done = await decideOnPage(sca, made.url, {}, rivka)
        const returned = String(done.headers['location'])
        const kept = `${redirectUri}&state=abc%20d&confirmationCode=`
        t.ok(returned.startsWith(kept) && returned.endsWith('#done'), returned)
        const location = new URL(returned)
        const confirmationCode = location.searchParams.get('confirmationCode') ?? ''
        t.match(confirmationCode, /^[\w-]{43}$/)
        t.equal(await statusOf(made.path), 'RCVD')
        const held = await scaOf(made.path)
        t.equal(held.scaStatus, 'unconfirmed')
        t.ok(held._links.confirmation)
        const confirm = (code: string) =>
          bank.call({
            operation: 'updatePaymentAuthorisation',
            path: made.path,
            body: { confirmationCode: code },
          })
        return { ...made, confirm, confirmationCode }
      }
      const good = await approve()
      const wrong = await good.confirm('guess')
      t.strictSame([wrong.status, wrong.body.tppMessages[0].code], [400, 'SCA_INVALID'])
      t.equal((await good.confirm(good.confirmationCode)).body.scaStatus, 'finalised')
      t.equal(await statusOf(good.path), 'ACTC')

      const bad = await approve()
      for (let attempt = 1; attempt <= 3; attempt++) await bad.confirm('guess')
      t.equal(await statusOf(bad.path), 'RJCT', 'the third wrong code')
      const late = await bad.confirm(bad.confirmationCode)
      t.strictSame([late.status, late.body.tppMessages[0].code], [400, 'SCA_INVALID'])
    },
  )

  t.test('who needs no second factor approves with the password alone', async (t) => {
    const { debtorAccount: _, ...open } = payment
    const { url, path } = await initiate({}, open)
    const browser = scaBrowser(sca)
    const page = await browser.signIn(url, { psu: 'PSU-Exempted', password: '12345' })
    t.notMatch(page.body, /name="code"/)
    await decideOnPage(sca, url, { code: '' }, { psu: 'PSU-Exempted', password: '12345' })
    t.equal(await statusOf(path), 'ACTC')
  })

  t.test('consents, mandates and cancellations are approved there, too', async (t) => {
    const asked = await bank.call({ operation: 'createConsent', headers: redirect, body: consent })
    const link: string = asked.body._links.scaRedirect.href
    const consentPage = await scaBrowser(sca).signIn(link, noa)
    t.match(consentPage.body, /IL03 0205 7100 0000 0200 285/)
    t.equal((await decideOnPage(sca, link)).headers['location'], redirectUri)
    const path = { consentId: asked.body.consentId }
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
    await decideOnPage(sca, mandate.body._links.scaRedirect.href)
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
    await decideOnPage(sca, made.body._links.scaRedirect.href)
    const paymentPath = { ...masav, paymentId: made.body.paymentId }
    const cancelled = await bank.call({
      operation: 'cancelPayment',
      path: paymentPath,
      headers: redirect,
    })
    t.equal(cancelled.body.transactionStatus, 'ACTC')
    const cancellation: string = cancelled.body._links.scaRedirect.href
    t.match((await scaBrowser(sca).signIn(cancellation, noa)).body, /Cancel an approved payment/)
    await decideOnPage(sca, cancellation)
    t.equal(await statusOf(paymentPath), 'CANC')
  })

  t.test('an account the PSU does not have rejects what names it', async (t) => {
    const { body } = await bank.call({
      operation: 'createConsent',
      headers: redirect,
      body: { ...consent, access: { accounts: [{ iban: 'DE89370400440532013000' }] } },
    })
    const done = await decideOnPage(sca, body._links.scaRedirect.href)
    t.equal(done.headers['location'], nokUri)
    const path = { consentId: body.consentId }
    const status = await bank.call({ operation: 'getConsentStatus', path })
    t.equal(status.body.consentStatus, 'rejected')
  })
})

t.test('on HTTPS no other host of the domain can set a cookie of an approval', async (t) => {
  const bank = await testBank(t, { scaPublicUrl: 'https://sca.bank.test' })
  const { sca } = bank.backend
  const open = async () => {
    const headers = { 'tpp-redirect-uri': redirectUri }
    const { body } = await bank.call({ operation: 'createConsent', headers, body: consent })
    return new URL(body._links.scaRedirect.href).pathname
  }
  const [first, second] = [await open(), await open()]
  const { headers } = await scaBrowser(sca).get(first)
  const id = lastSegment(first)
  t.match(headers['set-cookie'], `__Host-sca_csrf_${id}=`)
  t.match(headers['set-cookie'], /; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=600$/)
  t.notMatch(headers['set-cookie'], /Domain/i)
  const browser = scaBrowser(sca)
  const page = await browser.signIn(first, noa)
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  await browser.signIn(second, noa)
  const done = await browser.submit(`${first}/decision`, { ...approval, csrf })
  t.equal(done.headers['location'], redirectUri, 'two approvals can be open')
})
