import type { Page } from 'playwright-core'
import t from 'tap'
import { chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { chooseOperation } from '../../test/support/choose-operation.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { runTollgate } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

t.test('Try it', { skip: chromiumMissing(), timeout: 240_000 }, async (t) => {
  const tollgate = await runTollgate(t)
  const { portal: portalUrl, gateway: gatewayUrl } = tollgate.urls
  const beside = await besidePortal(t, tollgate)
  const browser = await startBrowser()
  const owner = await beside.signIn()
  const { body: application } = await owner.send('POST', '/api/applications', { name: 'Budget' })
  const path = `/api/applications/${application.id}`
  // The address names an operation, which determines the version.
  for (const [api, version] of [
    ['mandate', '1.0.0'],
    ['xs2a', '1.7.0'],
  ]) {
    await owner.send('POST', `${path}/subscriptions`, { api, version, plan: 'default' })
  }
  const { body: issued } = await owner.send('POST', `${path}/keys`, { name: 'First' })

  function asCookie(cookie: typeof owner.cookie) {
    return { ...cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' } as const
  }

  async function open(page: Page, operation: string, cookie = owner.cookie): Promise<void> {
    await page.context().addCookies([asCookie(cookie)])
    await page.goto(`${portalUrl}/applications/${application.id}/playground?operation=${operation}`)
    await page.getByText('A key for this page').first().waitFor({ state: 'attached' })
  }

  await t.test('from one answer to the next by clicks: every id is filled in', async (t) => {
    await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page }) => {
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const next = page.getByRole('list', { name: 'Next calls', exact: true })
      const follow = (name: string) => next.getByRole('button', { name }).first().click()
      const send = async (status: string) => {
        await button('Send call').click()
        await page.getByText(status, { exact: true }).waitFor()
      }
      await open(page, 'createConsent')
      await page
        .getByLabel('How the customer approves')
        .selectOption({ label: 'On the bank’s page (redirect)' })
      await send('201 Created')
      const approval = page.getByRole('link', { name: 'Approve on the bank’s page' })
      t.match(await approval.getAttribute('href'), /^http:\/\/127\.0\.0\.1/)
      const response = page.getByRole('region', { name: 'Body of the response' })
      t.equal(
        await response.getByRole('link').getAttribute('href'),
        await approval.getAttribute('href'),
        'links in the response can be followed, too',
      )
      await response.getByRole('button', { name: /\/status"$/ }).click()
      t.match(page.url(), /operation=getConsentStatus$/)
      await send('200 OK')

      await chooseOperation(page, 'listAccounts')
      const consent = page.getByRole('combobox', { name: /^Consent-ID/ })
      const own = await consent.inputValue()
      t.match(own, /^[0-9a-f-]{36}$/, 'from the previous answer')
      await button('Use a ready consent of Noa Levi').click()
      await until('another consent is filled in', async () => (await consent.inputValue()) !== own)
      await consent.click()
      await page.getByRole('option', { name: own }).waitFor()
      await page.keyboard.press('Escape')
      await send('200 OK')
      await page
        .getByRole('combobox', { name: 'Customer who consents' })
        .selectOption({ label: 'Anton Brueckner' })
      const ofNoa = await consent.inputValue()
      await button('Use a ready consent of Anton Brueckner').click()
      await until(
        'another consent than that of Noa is filled in',
        async () => (await consent.inputValue()) !== ofNoa,
      )
      await consent.click()
      await page.getByRole('option', { name: /Consent of Noa Levi/ }).waitFor()
      await page.getByRole('option', { name: /Consent of Anton Brueckner/ }).waitFor()
      await page.keyboard.press('Escape')
      await send('200 OK')
      await until('a German account is shown', async () =>
        /"iban": "DE/.test(await response.innerText()),
      )
      await follow('balances')
      t.match(page.url(), /operation=getAccountBalances$/)
      await send('200 OK')
    })
  })

  await t.test(
    'in the bank’s app the customer approves alone: the consent becomes valid',
    async (t) => {
      await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page }) => {
        const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
        await open(page, 'createConsent')
        await page
          .getByLabel('How the customer approves')
          .selectOption({ label: 'In the bank’s app (decoupled)' })
        await page.getByText(/^Optional headers/).click()
        const psu = page.getByRole('textbox', { name: /^PSU-ID\b(?!-)/ })
        t.equal(await psu.inputValue(), '305567661', 'the bank must know whom to ask')
        const customer = page.getByRole('combobox', { name: 'Customer who approves' })
        await customer.selectOption('anton.brueckner')
        t.equal(await psu.inputValue(), 'anton.brueckner')
        await customer.selectOption('305567661')
        await press('Send call')
        await page.getByText('201 Created', { exact: true }).waitFor()
        await page.getByText(/^Headers \(/).click()
        const approach = page.getByRole('row').filter({ hasText: /aspsp-sca-approach/i })
        t.match(await approach.innerText(), /DECOUPLED/)
        t.equal(await page.getByRole('link', { name: 'Approve on the bank’s page' }).count(), 0)

        const next = page.getByRole('list', { name: 'Next calls', exact: true }).getByRole('button')
        t.equal(await next.count(), 3, 'the likeliest steps; the others are under More')
        t.equal(await page.getByText(/^More \(/).count(), 1)
        t.equal(await page.getByRole('button', { name: 'Copy Body of the response' }).count(), 1)
        t.equal(await next.first().innerText(), 'Read the status of a consent')
        await next.first().click()
        const body = page.getByRole('region', { name: 'Body of the response' })
        const isValid = async () => {
          await press('Send call')
          await page.getByText('200 OK', { exact: true }).waitFor()
          return (await body.innerText()).includes('"valid"')
        }
        await until('the value is valid', isValid)
      })
    },
  )

  await t.test('the sandbox leads to the call that asks one of its customers', async (t) => {
    await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page }) => {
      await page.context().addCookies([asCookie(owner.cookie)])
      await page.goto(`${portalUrl}/sandbox`)
      const row = page.getByRole('row').filter({ hasText: '305567661' })
      await row.getByRole('link', { name: /^Ask for consent: / }).click()
      const customer = page.getByLabel('Customer who approves')
      t.equal(await customer.inputValue(), '305567661')
      await page.getByRole('button', { name: 'Send call', exact: true }).click()
      await page.getByText('201 Created', { exact: true }).waitFor()
      t.match(page.url(), /playground\?customer=305567661$/)
    })
  })

  await t.test(
    'after signing out and in again in another tab, calls from the page go on',
    async (t) => {
      await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page, expectAnswers }) => {
        expectAnswers('401 /v1.7.0/consents')
        const answers: number[] = []
        let key = ''
        page.on('response', async (response) => {
          const request = response.request()
          if (request.method() !== 'POST' || !response.url().startsWith(gatewayUrl)) return
          key = (await request.headerValue('x-api-key')) ?? ''
          answers.push(response.status())
        })
        const send = () => page.getByRole('button', { name: 'Send call', exact: true }).click()
        const session = await beside.signIn(owner)
        await open(page, 'createConsent', session.cookie)
        await send()
        await until('the first answer', async () => answers.length === 1)
        await session.send('DELETE', '/api/session')
        await page.context().addCookies([asCookie((await beside.signIn(owner)).cookie)])
        await until('the gateway refuses the key of the ended session', async () => {
          const headers = { 'x-api-key': key }
          return (await fetch(`${gatewayUrl}/v1.7.0/accounts`, { headers })).status === 401
        })
        await send()
        await until('the answers to one click', async () => answers.length === 3)
        t.same(answers, [201, 401, 201])
      })
    },
  )

  await t.test('a consent that has ended is no longer offered', async (t) => {
    await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page, expectAnswers }) => {
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const consent = page.getByRole('combobox', { name: /^Consent-ID/ })
      const send = async (status: string) => {
        await button('Send call').click()
        await page.getByText(status, { exact: true }).waitFor()
      }
      const offered = (id: string) => page.getByRole('option', { name: id })
      const chooseReady = async () => {
        await consent.fill('')
        // The list of ids lies over what follows.
        await page.keyboard.press('Escape')
        t.notMatch(await consent.getAttribute('placeholder'), /\d/, 'no id that looks filled in')
        await button('Use a ready consent of Noa Levi').click()
        await until('a consent is filled in', async () =>
          /^[\da-f-]{36}$/.test(await consent.inputValue()),
        )
        return consent.inputValue()
      }
      await open(page, 'listAccounts')
      const ready = await chooseReady()
      await consent.fill('another')
      await offered(ready).waitFor()

      // The person approves another consent of the application.
      await chooseOperation(page, 'createConsent')
      await page
        .getByLabel('How the customer approves')
        .selectOption({ label: 'In the bank’s app (decoupled)' })
      await page.getByText(/^Optional headers/).click()
      await page.getByRole('textbox', { name: /^PSU-ID\b(?!-)/ }).fill('PSU-Successful')
      await send('201 Created')
      await chooseOperation(page, 'listAccounts')
      const own = await consent.inputValue()
      t.not(own, ready)
      await consent.click()
      await offered(own).waitFor()
      await offered(ready).waitFor({ state: 'detached' })
      await page.keyboard.press('Escape')
      await send('200 OK')

      // Elsewhere the owner makes another ready consent, so the bank refuses this one.
      const second = await chooseReady()
      await consent.fill('another')
      await offered(second).waitFor()
      await offered(own).waitFor({ state: 'detached' })
      await offered(second).click()
      await owner.send('POST', `${path}/sandbox/consents`)
      expectAnswers('401 /v1.7.0/accounts')
      await send('401 Unauthorized')
      await consent.fill('another')
      await offered(second).waitFor({ state: 'detached' })
    })
  })

  await t.test('the answer stays beside the request; on a phone it follows it', async (t) => {
    const boxes = async (page: Page) => {
      await open(page, 'createConsent')
      await page.getByRole('button', { name: 'Send call' }).click()
      const answer = page.getByRole('heading', { name: 'Response', exact: true })
      await page.getByText('201 Created', { exact: true }).waitFor()
      const key = page.getByRole('combobox', { name: /^API key/ })
      return { key: await key.boundingBox(), answer: await answer.boundingBox() }
    }
    await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page }) => {
      const { key, answer } = await boxes(page)
      t.ok(key !== null && answer !== null && answer.x >= key.x + key.width, 'to its right')
      t.ok(answer !== null && answer.y >= 0 && answer.y < 900, 'in sight')
    })
    const context = { viewport: { width: 390, height: 800 } }
    await browser.visit(t, { portalUrl, gatewayUrl, context }, async ({ page }) => {
      const { key, answer } = await boxes(page)
      t.ok(key !== null && answer !== null && answer.y > key.y + key.height, 'below it')
      t.ok(answer !== null && answer.y >= 0 && answer.y < 800, 'in sight')
    })
  })

  await t.test('the call to take along follows the form, in three languages', async (t) => {
    await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page }) => {
      await open(page, 'createConsent')
      for (const [label, start] of [
        ['curl', /^curl -i -X POST/],
        ['Node.js', /await fetch\(/],
        ['Python', /requests\.post\(/],
      ] as const) {
        await page.getByRole('tab', { name: label }).click()
        const code = page.getByRole('region', { name: `This call as code, ${label}` })
        await code.waitFor()
        const text = await code.innerText()
        t.match(text, start)
        t.notOk(text.includes(issued.key), 'without the key')
        t.match(text, /API_KEY/)
      }
      const body = page.getByRole('textbox', { name: /^Body/ })
      await body.fill('{"amount":1.10,"list":[]}')
      await page.getByRole('button', { name: 'Format', exact: true }).click()
      t.equal(await body.inputValue(), '{\n  "amount": 1.10,\n  "list": []\n}')
      await body.fill('no JSON')
      t.ok(await page.getByRole('button', { name: 'Format', exact: true }).isDisabled())
      await page.getByText('The code appears as soon as the body is valid JSON.').waitFor()
    })
  })
})
