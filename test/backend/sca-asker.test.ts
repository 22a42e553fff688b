import t from 'tap'
import { testBank } from '../support/bank.ts'
import { consentRequest } from '../support/requests.ts'
import { approval, noa, scaBrowser } from '../support/sca-browser.ts'

const sandbox = { secrets: () => ['s'.repeat(43)], portalUrl: () => 'https://portal.bank.test' }
const redirect = { 'tpp-redirect-uri': 'https://app.example/back' }
const iban = 'IL030205710000000200285'

t.test('the approval pages say who asks and what for', async (t) => {
  const bank = await testBank(t, { sandbox })
  const { sca } = bank.backend

  async function ask(options: {
    headers?: Readonly<Record<string, string>>
    body?: object
    applicationName?: string
  }) {
    const { body, headers } = await bank.call({
      operation: 'createConsent',
      headers: redirect,
      body: consentRequest,
      ...options,
    })
    const { pathname } = new URL(body._links.scaRedirect?.href ?? 'http://none/')
    return { consentId: body.consentId, url: pathname, approach: headers['aspsp-sca-approach'] }
  }

  t.test('the application by the name in the registry, from the first page on', async (t) => {
    const { url } = await ask({ applicationName: 'Budget <planner>' })
    const browser = scaBrowser(sca)
    t.match((await browser.get(url)).body, 'Budget &lt;planner&gt;')
    const page = await browser.signIn(url, noa)
    t.match(page.body, /<h1><bdi>Budget &lt;planner&gt;<\/bdi> wants to see your accounts<\/h1>/)
    t.match(page.body, 'Sandbox Bank')
    const renamed = await ask({ applicationName: 'Planner 2' })
    t.match((await scaBrowser(sca).get(renamed.url)).body, 'Planner 2', 'after a change of name')
  })

  t.test('marks that turn text around are left out of the name', async (t) => {
    const { url } = await ask({ applicationName: 'Pay \u202eknab' })
    t.notMatch((await scaBrowser(sca).get(url)).body, '\u202e')
  })

  t.test('a brand that the request claims is marked as its own words', async (t) => {
    const headers = { ...redirect, 'tpp-brand-logging-information': 'Your Trusted Bank' }
    const { url } = await ask({ headers, applicationName: 'Budget planner' })
    const { body } = await scaBrowser(sca).get(url)
    t.match(body, /It calls itself “<bdi>Your Trusted Bank<\/bdi>”/)
    t.match(body, 'has not checked that name')
    t.match(body, /<strong><bdi>Budget planner<\/bdi><\/strong> asks for your approval/)
  })

  t.test('what it can see and cannot do, until when, and how often without you', async (t) => {
    const account = [{ iban }]
    const body = {
      ...consentRequest,
      access: { accounts: account, balances: account, transactions: account },
      recurringIndicator: true,
      validUntil: '2027-05-31',
      frequencyPerDay: 4,
    }
    const { url } = await ask({ body })
    const { body: page } = await scaBrowser(sca).signIn(url, noa)
    t.match(page, 'See balances and transactions of these accounts')
    t.match(page, 'Until <bdi>31 May 2027</bdi>, up to 4 times a day without you')
    t.match(page, 'Cannot move money')
    t.match(page, 'Home', 'by the name the person gave it')
    t.equal(page.split('IL03 0205 7100 0000 0200 285').length - 1, 1, 'its number once')
    t.notMatch(page, iban)
    const once = await ask({ body: { ...body, recurringIndicator: false, frequencyPerDay: 1 } })
    const { body: oneOff } = await scaBrowser(sca).signIn(once.url, noa)
    t.match(oneOff, 'Only once, for two hours')
    t.notMatch(oneOff, 'without you')
  })

  t.test('accounts that are seen to a different extent say so', async (t) => {
    const access = {
      accounts: [{ iban }, { iban: 'IL910205710000000445566' }],
      balances: [{ iban }],
    }
    const { url } = await ask({ body: { ...consentRequest, access } })
    const { body } = await scaBrowser(sca).signIn(url, noa)
    t.match(body, /0200 285<\/bdi> · <bdi>all currencies<\/bdi><\/span><span>balances</)
    t.match(body, /0445 566<\/bdi> · <bdi>ILS<\/bdi><\/span><span>name and number only</)
  })

  t.test('an account says its currency, even where a list does not name it', async (t) => {
    const savings = 'IL910205710000000445566'
    const access = {
      balances: [
        { iban, currency: 'ILS' },
        { iban: savings, currency: 'ILS' },
      ],
      transactions: [{ iban }, { iban: savings }],
    }
    const { url } = await ask({ body: { ...consentRequest, access } })
    const { body } = await scaBrowser(sca).signIn(url, noa)
    t.match(
      body,
      /0200 285<\/bdi><\/span><span>balances \(ILS\) and transactions \(all currencies\)</,
    )
    t.equal(body.split('0200 285').length - 1, 1, 'an account of several currencies once, too')
    t.match(body, /0445 566<\/bdi> · <bdi>ILS<\/bdi><\/span><span>balances and transactions</)
    t.equal(body.split('0445 566').length - 1, 1, 'an account of one currency once')
  })

  t.test('a link fills in a person of the sandbox, another one the code', async (t) => {
    const { url } = await ask({})
    const browser = scaBrowser(sca)
    const plain = (await browser.get(url)).body
    t.match(plain, /<a href="\?as=305567661">Sign in as <bdi>Noa Levi<\/bdi><\/a>/)
    t.notMatch(plain, /name="password"[^>]*value="12345"/)
    const filled = (await browser.get(`${url}?as=305567661`)).body
    t.match(filled, /name="psu" value="305567661"/)
    t.match(filled, /name="password"[^>]*value="12345"/)
    t.notMatch((await browser.get(`${url}?as=nobody`)).body, /value="12345"/)
    await browser.get(url)
    await browser.signIn(url, noa)
    const { body: page } = await browser.get(`${url}/decision?fill=code`)
    t.match(page, /name="code" value="123456"/)
    const named = await ask({ headers: { ...redirect, 'psu-id': '123456782' } })
    const { body } = await scaBrowser(sca).get(named.url)
    t.match(body, 'Sign in as <bdi>Avi Katz</bdi>')
    t.notMatch(body, 'Sign in as <bdi>Noa Levi</bdi>', 'only who can approve this one')
  })

  t.test('a redirect without an address ends on the return page, with the result', async (t) => {
    const { url, consentId, approach } = await ask({
      headers: { 'tpp-redirect-preferred': 'true' },
    })
    t.equal(approach, 'REDIRECT')
    const browser = scaBrowser(sca)
    const page = await browser.signIn(url, noa)
    t.match(page.headers['content-security-policy'], "form-action 'self' https://portal.bank.test;")
    const done = await browser.submit(`${url}/decision`, approval)
    const { location = '' } = done.headers
    t.equal(
      location,
      `https://portal.bank.test/sandbox/return?outcome=approved&consentId=${consentId}`,
    )
    const refused = await ask({ headers: { 'tpp-redirect-preferred': 'true' } })
    const other = scaBrowser(sca)
    await other.signIn(refused.url, noa)
    const no = await other.submit(`${refused.url}/decision`, { decision: 'refuse', code: '' })
    t.match(no.headers['location'], 'outcome=refused')
    t.equal((await ask({ headers: {} })).approach, 'EMBEDDED', 'only for those who ask for it')
  })
})

t.test('without a sandbox no page offers a customer or reveals a secret', async (t) => {
  const bank = await testBank(t)
  const { body } = await bank.call({
    operation: 'createConsent',
    headers: redirect,
    body: consentRequest,
  })
  const { pathname } = new URL(body._links.scaRedirect.href)
  for (const query of ['', '?as=305567661']) {
    const page = await scaBrowser(bank.backend.sca).get(`${pathname}${query}`)
    t.notMatch(page.body, /Noa Levi|12345|No real money/)
  }
  const browser = scaBrowser(bank.backend.sca)
  t.notMatch((await browser.signIn(pathname, noa)).body, '123456')
  const without = await bank.call({
    operation: 'createConsent',
    headers: { 'tpp-redirect-preferred': 'true' },
    body: consentRequest,
  })
  t.equal(without.status, 400, 'and a redirect needs an address')
})
