import t from 'tap'
import { accessibilityViolations } from '../../test/support/accessibility.ts'
import { chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { runTollgate } from '../../test/support/tollgate.ts'

t.test('in a browser', { skip: chromiumMissing(), timeout: 240_000 }, async (t) => {
  const tollgate = await runTollgate(t)
  const { portal: portalUrl } = tollgate.urls
  const beside = await besidePortal(t, tollgate)
  const { stores } = beside
  const browser = await startBrowser()
  const operator = await beside.signIn({ isOperator: true })
  const owner = await beside.signIn({ name: 'Ada Lovelace' })
  const { id } = (await owner.send('POST', '/api/applications', { name: 'Watched' })).body

  /** 101 refused keys, one an hour, and an event with whatever a client may send. */
  const hostile = '<img src=x onerror=alert(1)>'
  const known = { actor: null, subject: `application:${id}`, requestId: null, detail: {} }
  const newest = Date.UTC(2026, 0, 10)
  await stores.securityEvents.write([
    {
      ...known,
      at: new Date(newest),
      event: 'cross-site.refused',
      reason: null,
      keyId: null,
      address: null,
      agent: hostile,
      detail: { origin: hostile },
    },
    ...Array.from({ length: 101 }, (_, hour) => ({
      ...known,
      at: new Date(newest - (101 - hour) * 3_600_000),
      event: 'key.refused',
      reason: 'revoked',
      keyId: 'watchedkey01',
      address: '192.0.2.0/24',
      agent: 'curl/8',
    })),
  ])

  await t.test('an operator finds events by application, kind, time and key', async (t) => {
    await browser.visit(t, { portalUrl }, async ({ page }) => {
      const { cookie } = operator
      await page
        .context()
        .addCookies([{ ...cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' }])
      await page.goto(`${portalUrl}/operator/applications/${id}`)
      const shows = (text: string | RegExp) => page.getByText(text, { exact: true }).waitFor()
      const field = (label: string) => page.getByLabel(label, { exact: true })
      // The bar has another link of that name, to the events of everyone.
      await page.getByRole('link', { name: 'Security events', exact: true }).last().click()
      await shows('100 events so far')
      await page.getByRole('combobox', { name: 'Who' }).or(field('Who')).first().waitFor()
      await page.getByRole('button', { name: 'Show more' }).click()
      await shows('102 events')
      await shows('A request from another site was refused')
      await page.getByText('A request from another site was refused').last().click()
      await page.getByText(hostile, { exact: true }).first().waitFor()

      await field('Event').selectOption('API key refused')
      await shows('100 events so far')
      await page
        .getByText('Revoked API key tg_watchedkey01… of Watched from 192.0.2.0/24')
        .first()
        .waitFor()
      await field('Period').selectOption('From … until …')
      // 10 January, 00:00 in Jerusalem, is 9 January, 22:00 in UTC.
      await field('From').fill('2026-01-09T22:00')
      await field('Until').fill('2026-01-10T00:00')
      await shows('2 events')
      t.match(page.url(), 'from=2026-01-09T20%3A00%3A00.000Z')
      t.same(await accessibilityViolations(page), [])
      await page.reload()
      await shows('2 events')
      t.equal(await field('From').inputValue(), '2026-01-09T22:00')

      await page.locator('summary').last().click()
      await page.getByRole('link', { name: 'watchedkey01' }).first().click()
      await shows('100 events so far')
      await page.getByRole('button', { name: 'Show all events' }).click()
      await shows('100 events so far')
      t.equal(await page.getByText('read data of').count(), 0, 'not what operators read')
      await page.getByLabel('Show what operators read').check()
      // The page of the application was read, too.
      await page.getByText('read data of Watched').first().waitFor()
    })
  })
})
