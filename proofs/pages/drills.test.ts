import type { Page } from 'playwright-core'
import t from 'tap'
import { drills } from '../../src/platform/http/drills.ts'
import { chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { chooseOperation } from '../../test/support/choose-operation.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { runTollgate } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

t.test('drills of the playground', { skip: chromiumMissing(), timeout: 240_000 }, async (t) => {
  const tollgate = await runTollgate(t)
  const { portal: portalUrl, gateway: gatewayUrl } = tollgate.urls
  const beside = await besidePortal(t, tollgate)
  const browser = await startBrowser()
  const owner = await beside.signIn()
  const { body: application } = await owner.send('POST', '/api/applications', { name: 'Budget' })
  const path = `/api/applications/${application.id}`
  const version = { api: 'xs2a', version: '1.7.0' }
  await owner.send('POST', `${path}/subscriptions`, { ...version, plan: 'default' })
  const { body: consent } = await owner.send('POST', `${path}/sandbox/consents`, {})

  async function open(page: Page): Promise<void> {
    const { cookie } = owner
    await page
      .context()
      .addCookies([{ ...cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' }])
    await page.goto(`${portalUrl}/applications/${application.id}/playground?operation=listAccounts`)
    await page.getByRole('combobox', { name: /^Consent-ID/ }).fill(consent.consentId)
    await page.keyboard.press('Escape')
  }

  await t.test(
    'each drill is offered in words, is sent, and shows what it asked for',
    async (t) => {
      const shown: Readonly<Record<(typeof drills)[number], string>> = {
        '429': '429 Too Many Requests',
        '503': '503 Service Unavailable',
        '504': '504 Gateway Timeout',
        slow: '200 OK',
        truncated: 'Truncated response',
        degraded: '200 OK',
        'consent-expired': '401 Unauthorized',
      }
      await browser.visit(
        t,
        { portalUrl, gatewayUrl },
        async ({ page, expectAnswers, expectOutage }) => {
          for (const status of [401, 429, 503, 504]) expectAnswers(`${status} /v1.7.0/accounts`)
          // The connection that breaks off.
          expectOutage()
          await open(page)
          const drill = page.getByRole('combobox', { name: 'Drill', exact: true })
          const described = await drill.getAttribute('aria-describedby')
          t.ok(described, 'a screen reader announces its purpose')
          t.same(
            await Promise.all(
              (await drill.locator('option').all()).map((option) => option.getAttribute('value')),
            ),
            ['', ...drills],
          )
          const texts = await drill.locator('option').allInnerTexts()
          t.ok(
            texts.every((text) => text.length > 10),
            texts.join('; '),
          )
          const send = page.getByRole('button', { name: 'Send call', exact: true })
          const answer = page.getByRole('status').filter({ hasText: /\w/ })
          for (const [value, text] of Object.entries(shown)) {
            await drill.selectOption(value)
            await send.click()
            await until(value, async () => (await answer.allInnerTexts()).join().includes(text))
          }
        },
      )
    },
  )

  await t.test(
    'the keyboard chooses a drill, and the code to take along has its header',
    async (t) => {
      await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page }) => {
        await open(page)
        const drill = page.getByRole('combobox', { name: 'Drill', exact: true })
        await drill.focus()
        await page.keyboard.type('slow')
        t.equal(await drill.inputValue(), 'slow')
        for (const label of ['curl', 'Node.js', 'Python']) {
          await page.getByRole('tab', { name: label }).click()
          const code = page.getByRole('region', { name: `This call as code, ${label}` })
          await code.waitFor()
          t.match(await code.innerText(), /Sandbox-Drill['"]?: ['"]?slow/, label)
        }
        await drill.selectOption('')
        const code = page.getByRole('region', { name: 'This call as code, Python' })
        t.notMatch(await code.innerText(), /Sandbox-Drill/)
      })
    },
  )

  await t.test('an operation that takes no consent does not offer that drill', async (t) => {
    await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page }) => {
      await open(page)
      await chooseOperation(page, 'getConsentStatus')
      const options = page.getByRole('combobox', { name: 'Drill', exact: true }).locator('option')
      t.equal(await options.count(), drills.length)
      t.notOk((await options.allInnerTexts()).some((text) => /consent-expired/.test(text)))
    })
  })

  await t.test('the calls tab and the usage distinguish a drill from a call', async (t) => {
    const calls = async () => (await owner.send('GET', `${path}/calls?limit=100`)).body.items
    await until('each drill has a record', async () => (await calls()).length === drills.length)
    const items: { drill: string; reason: string; outcome: string }[] = await calls()
    t.same(new Set(items.map(({ drill }) => drill)), new Set(drills))
    t.ok(
      items.every(({ reason }) => /^A drill: .* does not count against your limit\.$/.test(reason)),
    )
    const { body: usage } = await owner.send('GET', `${path}/usage`)
    t.notMatch(JSON.stringify(usage), /"(?:used|admitted|refused)":[1-9]/)
    await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page }) => {
      await open(page)
      await page.goto(`${portalUrl}/applications/${application.id}/calls`)
      await page.getByText('Drill', { exact: true }).first().waitFor()
      t.equal(await page.getByText('Drill', { exact: true }).count(), drills.length)
      await page.locator('button[data-request]').first().click()
      await page.getByText(/^This was a drill/).waitFor()
    })
  })
})
