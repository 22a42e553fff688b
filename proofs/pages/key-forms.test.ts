import t from 'tap'
import { accessibilityViolations } from '../../test/support/accessibility.ts'
import { chromiumMissing, focusedText, startBrowser } from '../../test/support/browser.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { runTollgate } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

t.test('in a browser', { skip: chromiumMissing(), timeout: 240_000 }, async (t) => {
  const browser = await startBrowser()

  /** A portal, and an application of a developer who is signed in there. */
  async function start(env: Readonly<Record<string, string>> = {}) {
    const tollgate = await runTollgate(t, { env })
    const { portal: portalUrl } = tollgate.urls
    const beside = await besidePortal(t, tollgate)
    const { send, cookie } = await beside.signIn()
    const { body } = await send('POST', '/api/applications', { name: 'Keys' })
    const id = String(body.id)
    return {
      portalUrl,
      send,
      path: `/api/applications/${id}`,
      async open(page: import('playwright-core').Page, tab = '/keys') {
        await page
          .context()
          .addCookies([{ ...cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' }])
        await page.goto(`${portalUrl}/applications/${id}${tab}`)
        await page.locator('h1').waitFor()
      },
    }
  }

  const free = await start()

  await t.test('a developer says from where a key may be used, and sees it', async (t) => {
    const { portalUrl, send, path, open } = free
    const { body: issued } = await send('POST', `${path}/keys`, { name: 'Office' })
    const allowed = async () => (await send('GET', `${path}/keys`)).body.items[0].allowedAddresses
    await browser.visit(t, { portalUrl }, async ({ page, expectAnswers }) => {
      expectAnswers('400 /api/applications/*/keys/*')
      await open(page)
      const card = page.getByRole('region', { name: 'Keys that work' })
      const openAddresses = async () => {
        await card.getByRole('button', { name: 'Actions for Office' }).click()
        await page.getByRole('menuitem', { name: 'Allowed addresses of key Office' }).click()
      }
      await openAddresses()
      const dialog = page.getByRole('dialog')
      const field = dialog.getByRole('textbox', { name: 'Addresses' })
      const save = dialog.getByRole('button', { name: 'Save addresses' })
      await field.fill('192.0.2.0/24, 2001:db8::/129')
      await save.click()
      await dialog.getByText(/Must be a list of at most 20 IP addresses or CIDRs/).waitFor()
      t.same(await accessibilityViolations(page), [])
      t.same(await allowed(), [])

      await field.fill('192.0.2.0/24\n 2001:DB8::/32')
      await save.click()
      await dialog.waitFor({ state: 'hidden' })
      await card.getByText('192.0.2.0/24, 2001:db8::/32').waitFor()
      t.same(await allowed(), ['192.0.2.0/24', '2001:db8::/32'])

      await openAddresses()
      t.equal(await field.inputValue(), '192.0.2.0/24\n2001:db8::/32')
      await field.fill('')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'hidden' })
      t.equal((await allowed()).length, 2, 'a dialog that is left changes nothing')
      await openAddresses()
      await field.fill('')
      await save.click()
      await card.getByText('192.0.2.0/24').waitFor({ state: 'hidden' })
      t.same(await allowed(), [])
    })
    await send('DELETE', `${path}/keys/${issued.id}`)
  })

  await t.test(
    'who revokes a key learns that the key works which has just replaced it',
    async (t) => {
      const { portalUrl, send, path, open } = free
      const { body: leaked } = await send('POST', `${path}/keys`, { name: 'Leaked' })
      await browser.visit(t, { portalUrl }, async ({ page }) => {
        await open(page)
        const card = page.getByRole('region', { name: 'Keys that work' })
        await card.getByRole('button', { name: 'Actions for Leaked' }).waitFor()
        // After the page has read its list.
        await send('POST', `${path}/keys/${leaked.id}/rotate`, { overlapSeconds: 3_600 })
        await card.getByRole('button', { name: 'Actions for Leaked' }).click()
        await page.getByRole('menuitem', { name: /^Revoke/ }).click()
        await page.getByRole('dialog').getByText('The key that replaced it still works.').waitFor()
      })
      for (const { id } of (await send('GET', `${path}/keys`)).body.items) {
        await send('DELETE', `${path}/keys/${id}`)
      }
    },
  )

  await t.test('a key can be limited to addresses from its first second', async (t) => {
    const { portalUrl, send, path, open } = free
    const keys = async () => (await send('GET', `${path}/keys`)).body.items
    const before = (await keys()).length
    await browser.visit(t, { portalUrl }, async ({ page, expectAnswers }) => {
      expectAnswers('400 /api/applications/*/keys')
      await open(page)
      await page.getByRole('button', { name: 'Create key' }).click()
      const form = page.locator('form')
      const field = form.getByLabel('Allowed addresses')
      const create = form.getByRole('button', { name: 'Create key' })
      await field.fill('192.0.2.7 office')
      await create.click()
      await form.getByText(/Must be a list of at most 20 IP addresses or CIDRs/).waitFor()
      t.same(await accessibilityViolations(page), [])
      t.equal((await keys()).length, before)

      await field.fill('192.0.2.7\n2001:DB8::/32')
      await create.click()
      await page.getByRole('heading', { name: /^New key/ }).waitFor()
    })
    const [key] = await keys()
    t.same(key.allowedAddresses, ['192.0.2.7', '2001:db8::/32'])
    await send('DELETE', `${path}/keys/${key.id}`)
  })

  await t.test('a key that is not stored is not lost without a question', async (t) => {
    const { portalUrl, send, path, open } = free
    await browser.visit(t, { portalUrl }, async ({ page }) => {
      await open(page)
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
      const dialog = page.getByRole('dialog', { name: 'Leave without storing the key?' })
      const away = page.getByRole('banner').getByRole('link', { name: 'Guides' })
      const tab = (name: string) =>
        page.getByRole('navigation', { name: 'Parts of this application' }).getByText(name)
      const stay = async () => {
        await dialog.waitFor()
        await button('Stay here').click()
        await dialog.waitFor({ state: 'hidden' })
      }
      const createKey = async () => {
        await button('Create key').click()
        await page.locator('form').getByRole('button', { name: 'Create key' }).click()
        await page.getByRole('heading', { name: /^New key/ }).waitFor()
      }
      await createKey()

      await away.focus()
      await page.keyboard.press('Enter')
      await dialog.waitFor()
      t.equal(await focusedText(page), 'Stay here', 'Enter alone loses nothing')
      t.same(await accessibilityViolations(page), [])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      await until('the focus is on Guides', async () => (await focusedText(page)) === 'Guides')

      // Neither a new tab of the browser nor another part of the application loses it.
      const opened = page.context().waitForEvent('page')
      await away.click({ modifiers: ['ControlOrMeta'] })
      await (await opened).close()
      await tab('Subscriptions').click()
      await heading('Subscriptions').waitFor()
      t.equal(await dialog.count(), 0)

      // A menu, and the search, whose own focus is gone by then.
      await button('Keys Switch application').click()
      await page.getByRole('menuitem', { name: 'All applications' }).click()
      await stay()
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox', { name: 'Search' }).fill('sandbox')
      await page.getByRole('dialog').getByRole('option').first().waitFor()
      await page.keyboard.press('Enter')
      await stay()
      await until(
        'the focus is on Subscriptions',
        async () => (await focusedText(page)) === 'Subscriptions',
      )

      await tab('API keys').click()
      await button('I have stored it').click()
      await away.click()
      await heading('Guides').waitFor()

      // The buttons of the browser.
      await page.getByRole('banner').getByRole('link', { name: 'Applications' }).click()
      await page.getByRole('link', { name: 'Keys', exact: true }).click()
      await tab('API keys').click()
      await createKey()
      const address = page.url()
      await page.evaluate('history.go(-2)')
      await stay()
      t.equal(page.url(), address)
      await page.getByRole('region', { name: 'key', exact: true }).waitFor()
      await page.evaluate('history.back()')
      await dialog.getByRole('button', { name: 'Leave' }).click()
      await heading('Applications').waitFor()
    })
    const { items } = (await send('GET', `${path}/keys`)).body
    for (const { id } of items) await send('DELETE', `${path}/keys/${id}`)
  })

  await t.test('a developer registers where customers are sent back', async (t) => {
    const { portalUrl, send, path, open } = free
    const registered = async () => (await send('GET', path)).body.redirectOrigins
    await browser.visit(t, { portalUrl }, async ({ page, expectAnswers }) => {
      expectAnswers('400 /api/applications/*')
      await open(page, '/settings')
      await page.getByText('it accepts every https address').waitFor()
      const field = page.getByLabel('Origins')
      const save = page.getByRole('button', { name: 'Save origins' })
      await field.fill('https://app.example/callback')
      await save.click()
      await page.getByText(/Must be a list of at most 10 origins without a path/).waitFor()
      t.same(await accessibilityViolations(page), [])
      t.same(await registered(), [])

      await field.fill('HTTPS://App.Example/\nhttp://localhost:3000')
      await save.click()
      await page.getByText('Origins saved').waitFor()
      t.equal(await field.inputValue(), 'https://app.example\nhttp://localhost:3000')
      await page.getByText('refuses addresses whose origin is not in this list').waitFor()
      t.same(await registered(), ['https://app.example', 'http://localhost:3000'])
    })
  })

  await t.test('where keys may always live forever, a form says so', async (t) => {
    await browser.visit(t, free, async ({ page }) => {
      await free.open(page)
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByLabel('Expires').waitFor()
      t.same(await page.getByLabel('Expires').locator('option').allInnerTexts(), [
        'Never',
        'In 30 days',
        'In 90 days',
        'In a year',
        'On a date I choose',
      ])
    })
  })

  await t.test('with KEY_MAX_DAYS, no life is offered that the portal refuses', async (t) => {
    const bound = await start({ KEY_MAX_DAYS: '60' })
    await browser.visit(t, bound, async ({ page }) => {
      await bound.open(page)
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByLabel('Expires').waitFor()
      t.same(await page.getByLabel('Expires').locator('option').allInnerTexts(), [
        'In 60 days (the maximum)',
        'In 30 days',
        'On a date I choose',
      ])
      await page.locator('form').getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('heading', { name: /^New key/ }).waitFor()
    })
    const [key] = (await bound.send('GET', `${bound.path}/keys`)).body.items
    const days = (Date.parse(key.expiresAt) - Date.parse(key.createdAt)) / 86_400_000
    t.equal(Math.round(days), 60)
  })
})
