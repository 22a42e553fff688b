import type { Page } from 'playwright-core'
import t from 'tap'
import { operationFragment } from '../../src/portal/pages/page-paths.ts'
import { chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { publishBeside } from '../../test/support/own-apis.ts'
import { petstore } from '../../test/support/petstore.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { runTollgate, testConfigDir } from '../../test/support/tollgate.ts'

interface Sample {
  readonly label: string
  readonly source: string
}

t.test('the reference, in a browser', { skip: chromiumMissing(), timeout: 180_000 }, async (t) => {
  const CONFIG_DIR = testConfigDir(t)
  publishBeside(CONFIG_DIR, 'pets/1.json', petstore)
  const tollgate = await runTollgate(t, { env: { CONFIG_DIR } })
  const { urls } = tollgate
  const portalUrl = urls.portal
  const beside = await besidePortal(t, tollgate)
  const browser = await startBrowser()

  /** The samples of each operation as the document has them, by operationId. */
  async function servedSamples(api: string): Promise<ReadonlyMap<string, readonly Sample[]>> {
    const response = await fetch(`${portalUrl}/api/apis/${api}/openapi.json`)
    // Our own document: what it lacks fails below.
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> }
    const operations = Object.values(paths).flatMap((item) => Object.values(item))
    return new Map(
      operations.flatMap((operation) => {
        const { operationId, 'x-codeSamples': samples } = operation as {
          operationId?: string
          'x-codeSamples'?: readonly Sample[]
        }
        return operationId === undefined ? [] : [[operationId, samples ?? []]]
      }),
    )
  }

  const sampleShown = (page: Page) =>
    page.getByRole('region', { name: /^Sample: / }).locator('code')

  await t.test(
    'every operation shows the samples of the document, in these languages and no other, and keeps the chosen one',
    async (t) => {
      const samples = await servedSamples('mandate/1.0.0')
      t.equal(samples.size, 4)
      await browser.visit(t, { portalUrl }, async ({ page }) => {
        await page.goto(`${portalUrl}/apis/mandate/1.0.0`)
        const links = page.getByRole('navigation', { name: 'Operations' }).getByRole('link')
        for (const [index, label] of ['curl', 'Node.js', 'Python'].entries()) {
          for (const [id, ofOperation] of samples) {
            const place = operationFragment('Mandates', id)
            await links.and(page.locator(`[href$="${place}"]`)).click()
            const source = ofOperation[index]?.source ?? ''
            t.equal(ofOperation[index]?.label, label)
            await sampleShown(page)
              .filter({ hasText: source.split('\n')[1] ?? source })
              .waitFor()
            t.equal(await sampleShown(page).textContent(), source, `${label} of ${id}`)
          }
          const tabs = page.getByRole('tab')
          t.same(await tabs.allInnerTexts(), ['curl', 'Node.js', 'Python'])
          await tabs.nth((index + 1) % 3).click()
        }
      })
    },
  )

  await t.test('an operation has its parameters, body, answers and errors', async (t) => {
    await browser.visit(t, { portalUrl }, async ({ page }) => {
      // As other pages link to it, and as it was before.
      await page.goto(`${portalUrl}/reference/xs2a/1.7.0#tag/payments/initiatePayment`)
      await page.getByRole('heading', { name: 'Initiate a payment', exact: true }).waitFor()
      t.equal(page.url(), `${portalUrl}/apis/xs2a/1.7.0#tag/payments/initiatePayment`)
      const article = page.getByRole('article', { name: 'Initiate a payment' })
      await article.getByRole('heading', { name: 'Body' }).waitFor()
      await article.getByRole('heading', { name: 'Errors' }).waitFor()
      const text = await article.innerText()
      for (const shown of [
        'POST',
        '/v1.7.0/payments/{payment-product}',
        'payment-product',
        'PSU-IP-Address',
        'creditorAccount',
        'instructedAmount',
        'transactionStatus',
        'QUOTA_EXCEEDED',
        'PRODUCT_UNKNOWN',
      ]) {
        t.ok(text.includes(shown), shown)
      }
      const errors = article.getByRole('link', { name: /^[A-Z_]+$/ })
      for (const link of await errors.all()) {
        const href = (await link.getAttribute('href')) ?? ''
        t.equal((await fetch(`${portalUrl}${href}`)).status, 200, href)
      }
      await page.goto(`${portalUrl}/apis/xs2a/1.7.0`)
      const place = operationFragment('Card accounts', 'listCardAccounts')
      const link = page.locator(`ol a[href="${place}"]`)
      await page.locator('details', { has: link }).locator('summary').click()
      await link.click()
      await page.getByRole('heading', { name: 'List card accounts', exact: true }).waitFor()
      await page.goBack()
      await page.getByText('Header for your key').waitFor()
    })
  })

  await t.test(
    'an operation of another API has its whole address, its own security and every response',
    async (t) => {
      await browser.visit(t, { portalUrl }, async ({ page }) => {
        await page.goto(`${portalUrl}/apis/pets/1`)
        const operation = page.getByRole('main').getByRole('link', { name: /^GET getPet/ })
        await operation.waitFor()
        const overview = await page.getByRole('main').innerText()
        t.match(overview, `${urls.gateway}/api/v3`)
        t.ok(overview.indexOf('About pets.') < overview.indexOf('/api/v3/pets/{petId}'))
        const height = '(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)'
        const bar = 'document.querySelector(\'nav[aria-label="Parts of this version"]\')'
        t.equal(await page.evaluate(`${height}(${bar})`), 0, 'no scroll bar')
        await operation.click()
        const article = page.getByRole('article')
        await article.getByRole('heading', { name: 'Response default' }).waitFor()
        const text = await article.innerText()
        for (const shown of [
          '/api/v3/pets/{petId}',
          'In addition to your API key',
          'Authorization: Bearer …',
          'read:pets',
          'No pet has this id.',
          'Something else.',
        ]) {
          t.ok(text.includes(shown), shown)
        }
        t.notMatch(text, 'api_key')
        t.equal(await article.locator('a[href^="/problems/"]').count(), 0, 'no-pet is its own')
      })
    },
  )

  await t.test('a developer subscribes with one press, and tries an operation', async (t) => {
    const ada = await beside.signIn({ name: 'Ada' })
    const { body } = await ada.send('POST', '/api/applications', { name: 'Ledger' })
    await browser.visit(t, { portalUrl }, async ({ page }) => {
      await page
        .context()
        .addCookies([{ ...ada.cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' }])
      await page.goto(`${portalUrl}/apis/mandate/1.0.0#tag/mandates/getMandate`)
      await page.getByRole('button', { name: 'Subscribe Ledger' }).click()
      await page.getByRole('link', { name: 'Ledger is subscribed' }).waitFor()
      const { body: active } = await ada.send('GET', `/api/applications/${body.id}/subscriptions`)
      t.match(active.items, [{ api: 'mandate', version: '1.0.0', plan: 'default' }])
      await page.getByRole('link', { name: 'Try it' }).click()
      await page.waitForURL(/\/applications\/[\w-]+\/playground\?operation=getMandate/)
    })
  })
})
