import t from 'tap'
import { bankDatabase, lastSegment, type TestAnswer, testBank } from '../support/bank.ts'
import { consentRequest } from '../support/requests.ts'
import { approval, noa, scaBrowser } from '../support/sca-browser.ts'

const psu = { 'psu-id': '305567661' }
const sandbox = { secrets: () => ['x'], portalUrl: () => 'http://portal.test' }
const minutes = 60_000
const wrong = { psuData: { password: 'wrong' } }
const right = { psuData: { password: '12345' } }

t.test('wrong attempts of a customer', async (t) => {
  const database = await bankDatabase(t)
  const bank = await testBank(t, { database, sandbox })
  // A second process on the same database, with its own clock.
  const second = await testBank(t, { database, sandbox })

  /** A new consent of an application, and the PUTs on its authorisation. */
  async function consent(applicationId: string, by = bank, headers: object = psu) {
    const sent = { operation: 'createConsent', applicationId, body: consentRequest }
    const { body } = await bank.call({ ...sent, headers: { ...headers } })
    const path = {
      consentId: String(body.consentId),
      authorisationId: lastSegment(body._links.scaStatus.href),
    }
    const operation = 'updateConsentAuthorisation'
    const put = (step: object) =>
      by.call({ operation, path, applicationId, body: step, headers: psu })
    const status = async (): Promise<string> =>
      (await bank.call({ operation: 'getConsentStatus', path, applicationId })).body.consentStatus
    return { put, status, url: new URL(body._links.scaRedirect?.href ?? 'http://none') }
  }

  t.test(
    'five wrong passwords in a row block a PSU over all consents, even for the right one',
    async (t) => {
      const app = 'a-1'
      const answers: TestAnswer[] = []
      for (let index = 0; index < 6; index += 1) {
        const { put } = await consent(app)
        for (let attempt = 0; attempt < 3; attempt += 1) answers.push(await put(wrong))
      }
      t.ok(answers.every(({ status }) => status === 401 || status === 409))
      const last = await consent(app)
      const refused = await last.put(right)
      t.strictSame(
        [refused.status, refused.body.tppMessages[0].code],
        [401, 'PSU_CREDENTIALS_INVALID'],
      )
      t.match(refused.body.tppMessages[0].text, 'blocked until 2026-11-20T08:30:00.000Z')
      t.equal(await last.status(), 'received', 'an attempt during the block changes nothing')

      const other = await consent('a-2')
      t.equal((await other.put(right)).status, 200, 'another application is not blocked')

      bank.clock.now += 30 * minutes
      t.equal((await last.put(right)).status, 200, 'the block ends by itself')
      for (let attempt = 1; attempt <= 4; attempt += 1) {
        const { put } = await consent(app)
        t.notMatch((await put(wrong)).body.tppMessages[0].text, 'blocked', 'a new row')
      }
      const fifth = await consent(app)
      t.match((await fifth.put(wrong)).body.tppMessages[0].text, 'blocked until')
      t.equal(await fifth.status(), 'rejected', 'the fifth fails its authorisation')
    },
  )

  t.test('a right password alone does not end the row: the code cannot be guessed', async (t) => {
    const app = 'a-3'
    for (let index = 0; index < 5; index += 1) {
      const { put } = await consent(app)
      t.equal((await put(right)).status, 200)
      await put({ authenticationMethodId: 'sms-1' })
      t.equal((await put({ scaAuthenticationData: '000000' })).status, 401)
    }
    t.equal((await (await consent(app)).put(right)).status, 401)

    const ended = 'a-4'
    for (let index = 0; index < 3; index += 1) {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const { put } = await consent(ended)
        t.equal((await put(wrong)).status, 401)
      }
      const { put, status } = await consent(ended)
      await put(right)
      await put({ authenticationMethodId: 'sms-1' })
      t.equal((await put({ scaAuthenticationData: '123456' })).status, 200)
      t.equal(await status(), 'valid', 'an approval ends the row')
    }
  })

  t.test('the page counts with the calls, and says when the PSU can go on', async (t) => {
    const app = 'a-5'
    const redirect = { 'tpp-redirect-uri': 'https://tpp.example/back' }
    const held = await consent(app, bank, redirect)
    const signedIn = scaBrowser(bank.backend.sca)
    t.equal((await signedIn.signIn(held.url.pathname, noa)).status, 200)
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const { put } = await consent(app)
      await put(wrong)
    }
    const { url } = await consent(app, bank, redirect)
    const browser = scaBrowser(bank.backend.sca)
    await browser.get(url.pathname)
    const page = await browser.submit(url.pathname, { ...noa })
    t.equal(page.status, 422)
    t.match(page.body, 'Try again after 20 November 2026 at 11:00')
    const decision = await signedIn.submit(`${held.url.pathname}/decision`, approval)
    t.equal(decision.status, 422, 'nor does a browser that was signed in before')
    t.match(decision.body, 'too many failed attempts')
    t.equal(await held.status(), 'received')
  })

  t.test('attempts at once over many consents and two processes check five secrets', async (t) => {
    second.clock.now = bank.clock.now
    const app = 'a-6'
    const consents = await Promise.all(
      Array.from({ length: 12 }, (_, index) => consent(app, index % 2 === 0 ? bank : second)),
    )
    const answers = await Promise.all(consents.flatMap(({ put }) => [put(wrong), put(wrong)]))
    const texts = answers.map(({ body }) => String(body.tppMessages[0].text))
    t.equal(texts.filter((text) => text.includes('are wrong')).length, 4)
    const rejected = await Promise.all(consents.map(({ status }) => status()))
    t.equal(rejected.filter((status) => status === 'rejected').length, 1, 'that of the fifth')
  })
})

t.test('without a sandbox all applications share the count of a PSU', async (t) => {
  const bank = await testBank(t)
  const attempt = async (applicationId: string, step: object) => {
    const { body } = await bank.call({
      operation: 'createConsent',
      applicationId,
      headers: psu,
      body: consentRequest,
    })
    const path = {
      consentId: String(body.consentId),
      authorisationId: lastSegment(body._links.scaStatus.href),
    }
    const operation = 'updateConsentAuthorisation'
    return (await bank.call({ operation, path, applicationId, body: step })).status
  }
  for (let index = 1; index <= 5; index += 1) t.equal(await attempt(`b-${index}`, wrong), 401)
  t.equal(await attempt('b-6', right), 401)
})
