import type { BrowserContextOptions, Page } from 'playwright-core'
import t from 'tap'
import { chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { chooseOperation } from '../../test/support/choose-operation.ts'
import { besidePortal, type SignedIn } from '../../test/support/portal-client.ts'
import { runTollgate } from '../../test/support/tollgate.ts'

t.test('when things go another way', { skip: chromiumMissing(), timeout: 400_000 }, async (t) => {
  const tollgate = await runTollgate(t, { plan: { calls: 20, window: 'P365D' } })
  const { portal: portalUrl, gateway: gatewayUrl } = tollgate.urls
  const beside = await besidePortal(t, tollgate)
  const browser = await startBrowser()
  const visit = (context: BrowserContextOptions = {}) => ({ portalUrl, gatewayUrl, context })

  async function become(page: Page, { cookie }: SignedIn): Promise<void> {
    await page
      .context()
      .addCookies([{ ...cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' }])
  }

  async function open(page: Page, who: SignedIn, path: string): Promise<void> {
    await become(page, who)
    await page.goto(`${portalUrl}${path}`)
    await page.locator('h1').waitFor()
  }

  async function newApplication({ send }: SignedIn, name: string): Promise<string> {
    const { body } = await send('POST', '/api/applications', { name })
    return body.id
  }

  await t.test('a name is typed as it is read, whatever spaces it holds', async (t) => {
    const owner = await beside.signIn()
    const id = await newApplication(owner, ' two  spaces   here')
    await browser.visit(t, visit(), async ({ page }) => {
      await open(page, owner, `/applications/${id}/settings`)
      await page.getByRole('button', { name: 'Delete application …', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox').fill('two spaces her')
      t.ok(await dialog.getByRole('button', { name: 'Delete application' }).isDisabled())
      await dialog.getByRole('textbox').fill('two spaces here')
      await dialog.getByRole('button', { name: 'Delete application' }).click()
      await page.getByRole('heading', { name: 'Create your first application' }).waitFor()
    })
  })

  await t.test(
    'a first application that could not be subscribed shows how to continue',
    async (t) => {
      const owner = await beside.signIn()
      await browser.visit(t, visit(), async ({ page, expectOutage }) => {
        expectOutage()
        const subscriptions = /[/]api[/]applications[/][^/]+[/]subscriptions$/
        await page.route(subscriptions, (route) =>
          route.request().method() === 'POST' ? route.abort() : route.continue(),
        )
        await open(page, owner, '/applications')
        await page.getByRole('button', { name: 'Create it and read Noa Levi’s accounts' }).click()
        await page.getByRole('button', { name: 'My first application' }).waitFor()
        await page.getByRole('alert').filter({ hasText: 'portal' }).waitFor()
        await page.unroute(subscriptions)
        await page.getByRole('button', { name: 'Subscribe and create a key' }).click()
        await page.getByRole('heading', { name: 'New key: Key 1' }).waitFor()
      })
      t.equal((await owner.send('GET', '/api/applications')).body.items.length, 1)
    },
  )

  await t.test('a dialog is no second banner of the page', async (t) => {
    const owner = await beside.signIn()
    const id = await newApplication(owner, 'Budget')
    await browser.visit(t, visit(), async ({ page }) => {
      await open(page, owner, `/applications/${id}/settings`)
      await page.getByRole('button', { name: 'Delete application …' }).click()
      await page.getByRole('dialog').waitFor()
      t.equal(await page.getByRole('dialog').getByRole('banner').count(), 0)
    })
  })

  await t.test('a dialog that failed opens again without the failure', async (t) => {
    const owner = await beside.signIn()
    const id = await newApplication(owner, 'Budget')
    await owner.send('POST', `/api/applications/${id}/keys`, { name: 'laptop' })
    await browser.visit(t, visit(), async ({ page, expectAnswers }) => {
      await open(page, owner, `/applications/${id}/keys`)
      await page.getByRole('button', { name: 'Actions for laptop' }).click()
      await page.getByRole('menuitem', { name: 'Revoke key laptop' }).click()
      const { body } = await owner.send('GET', `/api/applications/${id}/keys`)
      expectAnswers(`503 /api/applications/${id}/keys/${body.items[0].id}`)
      await page.route('**/keys/*', (route) => route.fulfill({ status: 503 }))
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Revoke key' }).click()
      await dialog.getByRole('alert').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await page.getByRole('button', { name: 'Actions for laptop' }).click()
      await page.getByRole('menuitem', { name: 'Revoke key laptop' }).click()
      await dialog.getByRole('button', { name: 'Revoke key' }).waitFor()
      t.equal(await dialog.getByRole('alert').count(), 0)
    })
  })

  await t.test('a pasted key stays in the page until it is left', async (t) => {
    const owner = await beside.signIn()
    const id = await newApplication(owner, 'Budget')
    await owner.send('POST', `/api/applications/${id}/subscriptions`, {
      api: 'xs2a',
      version: '1.7.0',
      plan: 'default',
    })
    await browser.visit(t, visit(), async ({ page }) => {
      await open(page, owner, `/applications/${id}/playground`)
      await page.getByRole('combobox', { name: /^API key/ }).selectOption('Another key')
      const key = page.getByRole('textbox', { name: 'Another key' })
      await key.fill('tg_pasted')
      await chooseOperation(page, 'listAccounts')
      t.equal(await key.inputValue(), 'tg_pasted', 'beside another operation')
      await page.getByRole('link', { name: 'Calls', exact: true }).click()
      await page.getByText('No calls yet', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Playground', exact: true }).click()
      t.equal(await key.inputValue(), 'tg_pasted', 'after a look at another tab')
    })
  })

  await t.test('without a network the page says so, and sends nothing later', async (t) => {
    const owner = await beside.signIn()
    const known = await newApplication(owner, 'Known')
    const id = await newApplication(owner, 'Budget')
    await browser.visit(t, visit(), async ({ page, expectOutage }) => {
      // Scripts of pages are no part of this: they are there.
      await open(page, owner, `/applications/${known}`)
      await page.getByRole('link', { name: 'Applications', exact: true }).click()
      expectOutage()
      await page.getByRole('button', { name: 'Create application' }).click()
      await page.context().setOffline(true)
      await page.getByRole('textbox', { name: 'Name' }).fill('Made without a network')
      await page.locator('form').getByRole('button', { name: 'Create application' }).click()
      await page.getByText('The portal is not available').waitFor()
      await page.getByRole('link', { name: 'Budget' }).click()
      await page.getByText('The portal is not available').waitFor()
      await page.context().setOffline(false)
      await page.getByText('No calls yet', { exact: true }).waitFor()
    })
    const { body } = await owner.send('GET', '/api/applications')
    t.strictSame(
      body.items.map((item: { id: string }) => item.id),
      [known, id],
    )
  })

  await t.test('where the browser lets nothing be copied, the page says so', async (t) => {
    await browser.visit(t, visit(), async ({ page }) => {
      await page.addInitScript(
        "Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => ({ writeText: () => Promise.reject(new Error('no')) }) })",
      )
      await page.goto(`${portalUrl}/apis/xs2a/1.7.0#tag/accounts/listAccounts`)
      await page.getByRole('button', { name: /^Copy Sample: List accounts/ }).click()
      const said = page.getByText('Could not copy. Select the text instead.')
      await said.waitFor()
      const box = await said.boundingBox()
      t.ok((box?.width ?? 0) > 100, 'for the eye, too')
    })
  })

  await t.test('the page is about the developer who signed in in another tab', async (t) => {
    const ada = await beside.signIn({ name: 'Ada of the first tab' })
    const grace = await beside.signIn({ name: 'Grace of the second' })
    await newApplication(ada, 'Of Ada')
    await newApplication(grace, 'Of Grace')
    await browser.visit(t, visit(), async ({ page }) => {
      await open(page, ada, '/applications')
      await page.getByRole('link', { name: 'Of Ada' }).waitFor()
      await become(page, grace)
      await page.evaluate(
        "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))",
      )
      await page.getByRole('button', { name: 'Grace of the second' }).waitFor()
      await page.getByRole('link', { name: 'Of Grace' }).waitFor()
      t.equal(await page.getByText('Of Ada').count(), 0)
    })
  })

  await t.test(
    'in colours of the reader’s own choice bars are bars and tabs are tabs',
    async (t) => {
      const owner = await beside.signIn()
      const id = await newApplication(owner, 'Budget')
      const path = `/api/applications/${id}`
      await owner.send('POST', `${path}/subscriptions`, {
        api: 'xs2a',
        version: '1.7.0',
        plan: 'default',
      })
      const { body } = await owner.send('POST', `${path}/keys`, { name: 'laptop' })
      await fetch(`${gatewayUrl}/v1.7.0/accounts`, {
        headers: { 'x-api-key': body.key, 'x-request-id': crypto.randomUUID() },
      })
      await browser.visit(t, visit({ forcedColors: 'active' }), async ({ page }) => {
        await open(page, owner, `/applications/${id}/usage`)
        const bar = page.getByRole('progressbar')
        await bar.waitFor()
        const [used, track] = await page.evaluate<string[]>(`(() => {
        const bar = document.querySelector('[role=progressbar]')
        return [bar, bar.parentElement].map((each) => getComputedStyle(each).backgroundColor)
      })()`)
        t.not(used, track, `${used} on ${track}`)
        const lines = await page.evaluate<string[]>(
          `[...document.querySelectorAll('nav[aria-label="Parts of this application"] a')]
          .map((link) => getComputedStyle(link).outlineStyle)`,
        )
        t.equal(lines.length, 8)
        t.equal(new Set(lines).size, 2, `one differs from the others: ${lines}`)
      })
    },
  )
})
