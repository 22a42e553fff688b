import type { Page } from 'playwright-core'
import t from 'tap'
import { operationFragment } from '../../src/gateway/portal/page-paths.ts'
import { chromiumMissing, startBrowser } from '../support/browser.ts'
import { eventually } from '../support/calling.ts'
import { runTollgate } from '../support/tollgate.ts'

interface Sample {
  readonly label: string
  readonly source: string
}

t.test('the reference, in a browser', { skip: chromiumMissing(), timeout: 180_000 }, async (t) => {
  const { urls } = await runTollgate(t)
  const browser = await startBrowser()

  /** The samples of each operation as the document has them, by operationId. */
  async function servedSamples(api: string): Promise<ReadonlyMap<string, readonly Sample[]>> {
    const response = await fetch(`${urls.portal}/api/apis/${api}/openapi.json`)
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

  const section = (page: Page, id: string) => page.locator(`section[id$="/${id}"]`)

  /** Goes where a link within the page leads: operations are drawn when they come into sight. */
  const lookAt = (page: Page, id: string) =>
    page.goto(`${urls.portal}/reference/mandate/1.0.0${operationFragment('Mandates', id)}`)

  /** Waits until the sample of an operation is shown exactly as given. */
  async function shows(page: Page, id: string, source: string): Promise<boolean> {
    const code = section(page, id).locator('.request-card code')
    return eventually(async () => (await code.textContent())?.trimEnd() === source, 20_000)
  }

  await t.test(
    'every operation shows the samples of the document, in these languages and no other',
    async (t) => {
      const samples = await servedSamples('mandate/1.0.0')
      t.equal(samples.size, 4)
      await browser.visit(t, { portalUrl: urls.portal }, async ({ page }) => {
        await page.goto(`${urls.portal}/reference/mandate/1.0.0`)
        for (const [index, label] of ['curl', 'Node.js', 'Python'].entries()) {
          for (const [id, ofOperation] of samples) {
            t.equal(ofOperation[index]?.label, label)
            await lookAt(page, id)
            t.ok(await shows(page, id, ofOperation[index]?.source ?? ''), `${label} of ${id}`)
          }
          // One choice is for every operation.
          await lookAt(page, 'createMandate')
          await section(page, 'createMandate').getByTestId('client-picker').click()
          const offered = await page.getByRole('option').allInnerTexts()
          t.same(
            offered.map((text) => text.trim()),
            ['curl', 'Node.js', 'Python'],
          )
          await page
            .getByRole('option')
            .nth((index + 1) % offered.length)
            .click()
        }
      })
    },
  )

  await t.test('the list of samples leads to each of them', async (t) => {
    const samples = await servedSamples('xs2a/1.7.0')
    await browser.visit(t, { portalUrl: urls.portal }, async ({ page }) => {
      for (const [tag, id] of [
        ['Card accounts', 'listCardAccounts'],
        ['Payments', 'updatePaymentAuthorisation'],
      ] as const) {
        await page.goto(`${urls.portal}/reference/xs2a/1.7.0`)
        const place = operationFragment(tag, id)
        await page.locator(`ol a[href="${place}"]`).click()
        const [curl] = samples.get(id) ?? []
        t.ok(await shows(page, id, curl?.source ?? ''), `the sample of ${id} is in sight`)
        t.equal(page.context().pages().length, 1, 'on the same page')
      }
    })
  })
})
