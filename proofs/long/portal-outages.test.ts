import { randomBytes } from 'node:crypto'
import t from 'tap'
import { chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { burst } from '../../test/support/calling.ts'
import { fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { openBesidePortal } from '../../test/support/portal-client.ts'
import { spawnTollgate, type TollgateProcess } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

t.test(
  'without the portal the gateway serves on; without the gateway the portal says so',
  { skip: fleetMissing() || chromiumMissing(), timeout: 300_000 },
  async (t) => {
    const sessionSecret = randomBytes(32).toString('base64url')
    const fleet = await startFleet(t, { size: 1, env: { SESSION_SECRET: sessionSecret } })
    const [gateway] = fleet.gateways
    if (gateway === undefined) throw new Error('a fleet of one has one gateway')
    const env = { ...fleet.env, GATEWAY_PUBLIC_URL: gateway.urls.gateway }
    const portal = await spawnTollgate(t, ['portal'], env)
    const portalUrl = portal.urls.portal
    const beside = openBesidePortal(t, {
      portalUrl,
      stores: fleet.stores,
      databaseUrl: fleet.env['DATABASE_URL'] ?? '',
      sessionSecret,
    })
    const { send, cookie } = await beside.signIn()
    const { body: application } = await send('POST', '/api/applications', { name: 'Steady' })
    const path = `/applications/${application.id}`
    await send('POST', `/api${path}/subscriptions`, {
      api: 'xs2a',
      version: '1.7.0',
      plan: 'default',
    })
    const { key } = (await send('POST', `/api${path}/keys`, { name: 'one' })).body
    const browser = await startBrowser()

    await browser.visit(t, { portalUrl }, async ({ page, expectOutage }) => {
      const tab = (name: string) => page.getByRole('link', { name, exact: true })
      const banner = page.getByText('The gateway is not available at the moment')
      const refused = page.getByText('The portal is not available').first()
      await page
        .context()
        .addCookies([{ ...cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' }])
      await page.goto(`${portalUrl}${path}`)
      await page.getByRole('heading', { name: 'Steady' }).waitFor()
      t.same(await statuses(), [200])
      t.equal(await banner.count(), 0)

      // One file has the script of all parts of an application.
      const isLoaded = `performance.getEntriesByType('resource').some(({ name }) => /\\/applications-[^/]+\\.js$/.test(name))`
      await until('the page is loaded', () => page.evaluate<boolean>(isLoaded))
      expectOutage()
      portal.signal('SIGKILL')
      await portal.ended
      t.same(await statuses(), [200], 'the gateway serves on')
      await tab('Usage').click()
      await refused.waitFor()
      t.same(await statuses(), [200])
      await spawnTollgate(t, ['portal'], { ...env, PORTAL_PORT: new URL(portalUrl).port })
      // The page also asks again by itself, and may have done so before the button is clicked.
      await until('the page shows the usage', async () => {
        if (await page.getByText(/of 1,000,000 used/).isVisible()) return true
        await page.getByRole('button', { name: 'Try again' }).first().click({ timeout: 1000 })
        return false
      })
      await page.getByRole('heading', { name: /^Limits / }).waitFor()
      await page.getByText(/of 1,000,000 used/).waitFor()

      gateway.signal('SIGKILL')
      await gateway.ended
      await banner.waitFor()
      await tab('API keys').click()
      await page.getByRole('button', { name: 'Create key' }).waitFor()
      t.equal(await banner.count(), 1, 'and goes on to manage keys')
      await restart(gateway)
      await banner.waitFor({ state: 'detached' })
      t.same(await statuses(), [200])
    })

    /** The statuses of 20 calls. */
    async function statuses(): Promise<number[]> {
      const answers = await burst(fleet.clients, 20, { key })
      return [...new Set(answers.map(({ status }) => status))]
    }

    /** Where it was. */
    function restart({ urls }: TollgateProcess): Promise<TollgateProcess> {
      return spawnTollgate(t, ['gateway'], {
        ...fleet.env,
        GATEWAY_PORT: new URL(urls.gateway).port,
      })
    }
  },
)
