import t, { type Test } from 'tap'
import { testBank } from '../support/bank.ts'
import { bill, consentRequest, mandateRequest } from '../support/requests.ts'
import {
  approval,
  noa,
  type ScaAnswer,
  type ScaBrowser,
  scaBrowser,
} from '../support/sca-browser.ts'

const iban = 'IL030205710000000200285'
const headers = { 'tpp-redirect-uri': 'https://app.tpp.example/return' }
const sandbox = { secrets: () => ['s'.repeat(43)], portalUrl: () => 'https://portal.bank.test' }

t.test("the bank's pages are whole in English and in Hebrew", async (t) => {
  const bank = await testBank(t, { sandbox })
  const { sca } = bank.backend
  const applicationName = 'Kesef 2'
  let mandates = 0

  /** Paths of the pages of every kind of approval. */
  async function links(): Promise<Record<string, string>> {
    const ask = async (operation: string, body: object | undefined, path = {}) =>
      (await bank.call({ operation, headers, applicationName, path, ...(body && { body }) })).body
    const accounts = [{ iban }]
    const access = { accounts, balances: accounts, transactions: accounts }
    const masav = { 'payment-product': 'masav' }
    const made = await ask('initiatePayment', bill, masav)
    await decide(pathOf(made))
    const { access: everything } = consentRequest
    const restricted = { ...everything, restrictedTo: ['SVGS', 'CARD'] }
    return {
      payment: pathOf(await ask('initiatePayment', bill, masav)),
      paymentCancellation: pathOf(
        await ask('cancelPayment', undefined, { ...masav, paymentId: made.paymentId }),
      ),
      consent: pathOf(await ask('createConsent', { ...consentRequest, access })),
      partly: pathOf(
        await ask('createConsent', {
          ...consentRequest,
          access: { accounts: [{ iban }, { iban: 'IL910205710000000445566' }], balances: accounts },
        }),
      ),
      everything: pathOf(await ask('createConsent', { ...consentRequest, access: restricted })),
      offered: pathOf(
        await ask('createConsent', {
          ...consentRequest,
          recurringIndicator: false,
          frequencyPerDay: 1,
          access: { accounts: [], balances: [], transactions: [] },
        }),
      ),
      mandate: pathOf(
        await ask('createMandate', { ...mandateRequest, mandateId: `M-${++mandates}` }),
      ),
    }
  }

  async function decide(path: string) {
    const browser = scaBrowser(sca)
    await browser.signIn(path, noa)
    await browser.submit(`${path}/decision`, approval)
  }

  for (const { accept, lang, dir } of looks) {
    t.test(lang, async (t) => {
      const found = await links()
      for (const [name, path] of Object.entries(found)) {
        const browser = scaBrowser(sca, accept)
        assertWhole(t, { name: `sign-in of ${name}`, lang, dir }, await browser.get(path))
        const page = await browser.signIn(path, noa)
        assertWhole(t, { name, lang, dir }, page)
        const hasNumbers = name !== 'everything'
        t.equal(
          page.body.includes('<bdi dir="ltr">'),
          hasNumbers,
          `numbers of ${name} run from left to right`,
        )
      }
      const browser = scaBrowser(sca, accept)
      for (const [name, answer] of Object.entries(await troubles(browser, found))) {
        assertWhole(t, { name, lang, dir }, answer)
        t.ok(answer.status >= 400 || name === 'front page', `${name}: ${answer.status}`)
      }
    })
  }

  /** The pages that say what went wrong, and the one at the root. */
  async function troubles(browser: ScaBrowser, { consent = '', offered = '' }) {
    const nothing = await browser.get('/nothing')
    const malformed = await browser.get('/%ff')
    const link = await browser.get('/authorise/0b5f0f6e-4f0f-4a5b-9a55-0123456789ab')
    await browser.get(consent)
    const wrong = await browser.submit(consent, { psu: 'nobody', password: 'x' })
    const stale = await browser.submit(consent, { ...noa, csrf: 'other' })
    const type = { 'content-type': 'application/json' }
    const json = await browser.submit(consent, {}, type)
    await browser.signIn(offered, noa)
    const unchosen = await browser.submit(`${offered}/decision`, approval)
    const front = await browser.get('/')
    return { nothing, malformed, link, wrong, stale, json, unchosen, 'front page': front }
  }

  t.test('in Hebrew, names and amounts of the sandbox are Hebrew, too', async (t) => {
    const { payment = '' } = await links()
    const browser = scaBrowser(sca, 'he-IL,he')
    t.match((await browser.get(payment)).body, 'כניסה בשם <bdi>נועה לוי</bdi>')
    const { body } = await browser.signIn(payment, noa)
    t.match(body, 'נכנסת בשם <bdi>נועה לוי</bdi>')
    t.match(body, '<strong><bdi>הבית</bdi></strong>')
    t.match(body, /12\.50\s\u200f?₪/)
    t.match(body, `<bdi>${applicationName}</bdi> מבקשת לשלם`)
  })

  t.test('a person chooses the language on the page, and the browser keeps it', async (t) => {
    const { consent = '' } = await links()
    const browser = scaBrowser(sca, 'en')
    const first = await browser.get(`${consent}?as=305567661`)
    t.match(first.body, 'href="?as=305567661&amp;lang=he" lang="he"')
    const chosen = await browser.get(`${consent}?as=305567661&lang=he`)
    t.match(chosen.body, '<html lang="he" dir="rtl">')
    t.match(chosen.body, /name="password"[^>]*value="12345"/, 'the rest of the query stays')
    t.match((await browser.signIn(consent, noa)).body, '<html lang="he" dir="rtl">')
    t.match((await browser.get('/?lang=en')).body, '<html lang="en" dir="ltr">')
    t.match((await browser.get('/?lang=xx')).body, '<html lang="en" dir="ltr">')
  })

  t.test('the faces come from the bank, for a year', async (t) => {
    const style = await sca.inject({ url: '/style.css' })
    const fonts = [...style.body.matchAll(/url\("([^"]+)"\)/g)].map(([, url = '']) => url)
    t.equal(fonts.length, 2)
    for (const url of fonts) {
      const font = await sca.inject({ url })
      t.equal(font.statusCode, 200)
      t.equal(font.rawPayload.subarray(0, 4).toString(), 'wOF2')
      t.match(font.headers['cache-control'], 'immutable')
    }
    t.equal((await sca.inject({ url: '/fonts/..%2f..%2fpackage.json' })).statusCode, 404)
  })
})

/** Path of the bank's page that an answer leads to. */
function pathOf({
  _links,
}: {
  readonly _links: { readonly scaRedirect: { readonly href: string } }
}) {
  return new URL(_links.scaRedirect.href).pathname
}

const looks = [
  { accept: 'en-GB,en;q=0.9', lang: 'en', dir: 'ltr' },
  { accept: 'he-IL,he;q=0.9,en;q=0.5', lang: 'he', dir: 'rtl' },
] as const

/** The page is in the language alone, and nothing of a message is left open. */
function assertWhole(
  t: Test,
  { name, lang, dir }: { readonly name: string; readonly lang: 'en' | 'he'; readonly dir: string },
  { body }: ScaAnswer,
): void {
  t.match(body, `<html lang="${lang}" dir="${dir}">`, name)
  const text = body
    .replace(/<a class="language".*?<\/a>/, '')
    .replaceAll(/<code.*?<\/code>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
  t.notMatch(text, /[{}]|undefined|\[object|bank\.[a-z]/, `nothing open: ${name}`)
  if (lang === 'he') {
    t.match(text, /\p{Script=Hebrew}{3}/u, name)
    t.notMatch(text.replaceAll(/Kesef|Galil Water Works|Water bill|\dx+/g, ''), /[a-z]{3}/, name)
  } else {
    // Some customers have Hebrew names, whatever the language.
    t.notMatch(text.replace(/Sandbox customers.*/s, ''), /\p{Script=Hebrew}/u, name)
  }
}
