import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import t from 'tap'
import { askedAgain, chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { besidePortal, type SignedIn } from '../../test/support/portal-client.ts'
import { consentRequest } from '../../test/support/requests.ts'
import { type RunningTollgate, runTollgate } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

const clicksMax = 6
const fieldsMax = 5
/** Limit of each operation: enough for every step, and few enough to reach. */
const calls = 20

t.test('the first hour in a browser', { skip: chromiumMissing(), timeout: 240_000 }, async (t) => {
  const tollgate = await runTollgate(t, { isEmbedded: true, plan: { calls, window: 'P365D' } })
  const { portal: portalUrl, gateway: gatewayUrl } = tollgate.urls
  const beside = await besidePortal(t, tollgate)
  const browser = await startBrowser()
  const visit = await browser.openPage(t, { portalUrl, gatewayUrl })

  await t.test(
    `from the landing page to the balances of a sandbox customer: at most ${clicksMax} clicks and ${fieldsMax} fields, all in the browser`,
    (t) =>
      visit(t, async ({ page }) => {
        const steps: string[] = []
        let clicks = 0
        let fields = 0
        const main = page.getByRole('main')
        const click = async (target: Locator, name: string) => {
          await target.click()
          clicks += 1
          steps.push(`${clicks}. click "${name}"`)
        }
        const press = (name: string) =>
          click(main.getByRole('button', { name, exact: true }).first(), name)
        const follow = (name: string) =>
          click(main.getByRole('link', { name, exact: true }).first(), name)
        const fill = async (label: string, value: string) => {
          await page.getByLabel(label, { exact: true }).fill(value)
          fields += 1
          steps.push(`fill "${label}"`)
        }

        await page.clock.install()
        await page.goto(portalUrl)
        await follow('Get a key')
        await fill('Email', 'ada@example.com')
        await fill('Name', 'Ada Lovelace')
        await press('Sign up')
        await follow('Open the email')
        await follow('Confirm the address')
        await fill('New password', 'seven quiet herons by the weir')
        await press('Set the password')
        await main.getByText('Open to every application').waitFor()
        await press('Create it and read Noa Levi’s accounts')

        const accounts = page.getByRole('list', { name: 'Noa Levi’s accounts' })
        await accounts.waitFor()
        const rows = await accounts.getByRole('listitem').allInnerTexts()
        t.ok(rows.length > 0)
        for (const row of rows)
          t.match(row, /IL\d\d [\d ]+[\s\S]*\d\.\d\d/, 'an IBAN and a balance')
        t.ok(clicks <= clicksMax, `${clicks} clicks`)
        t.ok(fields <= fieldsMax, `${fields} fields`)
        t.comment(...steps, ...rows)

        const keys = main.getByRole('region', { name: 'Keys that work' })
        await askedAgain(page, main.getByRole('heading', { name: 'The first call arrived' }))
        await main.getByText(/^200 in \d.* · 19 of 20 left until .* · See the call$/).waitFor()
        t.notMatch(await keys.innerText(), 'Not yet', 'the key says at once that it was used')
        await askedAgain(page, main.getByText('1 of 5 done'))
        await page.getByRole('link', { name: 'Usage', exact: true }).click()
        await main.getByText('listAccounts').first().waitFor()
      }),
  )

  await t.test('each step of the check list is ticked once it has happened', async (t) => {
    const owner = await beside.signIn()
    const { id, key } = await callingApplication(owner, tollgate)
    // The page has the clock of the first visit.
    await visit(t, async ({ page }) => {
      const main = page.getByRole('main')
      const press = (name: string) =>
        main.getByRole('button', { name, exact: true }).first().click()
      // A call above the list may have the name of a step's link.
      const follow = (name: string) => main.getByRole('link', { name, exact: true }).last().click()
      const tab = (name: string) =>
        page
          .getByRole('navigation', { name: 'Parts of this application' })
          .getByRole('link', { name, exact: true })
          .click()
      const stateOf = (title: string) =>
        main
          .getByRole('listitem')
          .filter({ hasText: title })
          .getByText(/^\s*(Done|To do)$/)
          .innerText()
      await openAs(page, owner, `${portalUrl}/applications/${id}`)
      await main.getByText('1 of 5 done').waitFor()
      t.match(await stateOf('Make a first call'), /done/i)
      t.match(await stateOf('Make a payment'), /to do/i)

      await follow('Create a consent')
      await press('Send call')
      const approval = main.getByRole('link', { name: 'Approve on the bank’s page' })
      await approveAt(page.context(), (await approval.getAttribute('href')) ?? '')
      await askedAgain(page, main.getByText('The customer has approved.'))
      t.equal(await approval.count(), 0, 'the accounts take the place of the approval')
      await main.getByRole('button', { name: 'List accounts', exact: true }).click()
      await press('Send call')
      await main.getByText('200 OK', { exact: true }).waitFor()
      await askedAgain(page, main.getByText('2 of 5 done'))

      await follow('Make a payment')
      await press('Send call')
      await askedAgain(page, main.getByText('3 of 5 done'))

      await follow('Reach a limit')
      const commands = main.getByRole('region', { name: 'commands that reach a limit' })
      const script = (await commands.innerText()).replace('paste your key here', key)
      const { stdout } = await promisify(execFile)('bash', ['-c', script])
      t.match(stdout, new RegExp(`^ *${calls} 400\n *1 429\n$`))
      await askedAgain(page, main.getByText('4 of 5 done'))
      t.match(await stateOf('Reach a limit'), /done/i)

      await follow('Open usage')
      await main.getByText(`${calls} of ${calls} used`).waitFor()
      await tab('Overview')
      await main.getByText('All 5 done.').waitFor()
      await page.reload()
      await main.getByText('All 5 done.').waitFor()
      t.equal(await main.getByText('Make a payment').count(), 0, 'one line remains')

      await press('Hide this list')
      await main.getByText('All 5 done.').waitFor({ state: 'detached' })
      await page.reload()
      await main.getByRole('heading', { name: 'Limits now' }).waitFor()
      const other = await callingApplication(owner, tollgate)
      await page.goto(`${portalUrl}/applications/${other.id}`)
      await main.getByText('1 of 5 done').waitFor()
      // Only what the list is made of shows whether it is hidden or merely late.
      const arrived = async (path: string) => {
        const answer = await page.waitForResponse(
          (response) => new URL(response.url()).pathname === path,
        )
        await answer.finished()
      }
      await Promise.all([
        arrived('/api/apis'),
        arrived(`/api/applications/${id}/subscriptions`),
        page.goto(`${portalUrl}/applications/${id}`),
      ])
      await main.getByRole('heading', { name: 'Limits now' }).waitFor()
      t.equal(await main.getByText('Get started').count(), 0, 'it stays hidden')
    })
  })
})

async function openAs(page: Page, { cookie }: SignedIn, url: string): Promise<void> {
  const { origin } = new URL(url)
  await page.context().addCookies([{ ...cookie, url: origin, httpOnly: true, sameSite: 'Lax' }])
  await page.goto(url)
}

/** Signs in at the bank as Noa Levi and approves, in its own tab. */
async function approveAt(context: BrowserContext, url: string): Promise<void> {
  const bank = await context.newPage()
  await bank.goto(url)
  await bank.getByRole('link', { name: 'Sign in as Noa Levi' }).click()
  await bank.getByRole('button', { name: 'Sign in', exact: true }).click()
  await bank.getByRole('link', { name: 'Fill it in' }).click()
  await bank.getByRole('button', { name: 'Allow access', exact: true }).click()
  await bank.getByRole('heading', { name: 'Back from the bank' }).waitFor()
  await bank.close()
}

/** An application that has made one call, whose record has arrived. */
async function callingApplication({ send }: SignedIn, { urls }: RunningTollgate) {
  const { body: application } = await send('POST', '/api/applications', { name: randomUUID() })
  const path = `/api/applications/${application.id}`
  await send('POST', `${path}/subscriptions`, { api: 'xs2a', version: '1.7.0', plan: 'default' })
  const { body: issued } = await send('POST', `${path}/keys`, { name: 'First' })
  await fetch(`${urls.gateway}/v1.7.0/consents`, {
    method: 'POST',
    headers: {
      'x-api-key': issued.key,
      'x-request-id': randomUUID(),
      'psu-ip-address': '192.0.2.44',
      'content-type': 'application/json',
    },
    body: JSON.stringify(consentRequest),
  })
  await until(
    'the call has a record',
    async () => (await send('GET', `${path}/calls`)).body.items.length > 0,
  )
  return { id: application.id as string, key: issued.key as string }
}
