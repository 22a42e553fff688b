import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { chromiumMissing, startBrowser, type VisitOptions } from '../../test/support/browser.ts'
import { createClient } from '../../test/support/calling.ts'
import { besidePortal, type SignedIn } from '../../test/support/portal-client.ts'
import { newApplication, runTollgate } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { figure } from '../figure.ts'

t.test('in a browser', { skip: chromiumMissing(), timeout: 240_000 }, async (t) => {
  const tollgate = await runTollgate(t)
  const { portal: portalUrl, gateway: gatewayUrl } = tollgate.urls
  const beside = await besidePortal(t, tollgate)
  const browser = await startBrowser()
  const options: VisitOptions = { portalUrl, gatewayUrl }

  /** Opens a page as a signed-in developer. */
  async function open(page: Page, { cookie }: SignedIn, path: string): Promise<void> {
    await page
      .context()
      .addCookies([{ ...cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' }])
    await page.goto(`${portalUrl}${path}`)
    await page.locator('h1').waitFor()
  }

  await t.test('the first load is at most 300 KB as transferred', async (t) => {
    await browser.visit(t, options, async ({ page }) => {
      const session = await page.context().newCDPSession(page)
      await session.send('Network.enable')
      let bytes = 0
      session.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      await page.goto(portalUrl)
      await page.getByText('1.7.0').first().waitFor()
      await page.waitForLoadState('networkidle')
      t.ok(bytes > 50_000 && bytes <= 300 * 1024, `${bytes} bytes`)
      figure(`first load: ${(bytes / 1024).toFixed(1)} KB`)
    })
  })

  await t.test('whatever a name holds is shown as text, and runs nowhere', async (t) => {
    const hostile = [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "'><svg/onload=alert(1)>",
      '</title><script>alert(1)</script>',
      'javascript:alert(1)',
      '{{7*7}} <%= 7*7 %> #{7*7} $' + '{alert(1)}',
      '<a href="//evil.example">click</a>',
      '&lt;b&gt; &amp;',
    ]
    const owner = await beside.signIn({ name: '<img src=x onerror=alert(1)>' })
    const operator = await beside.signIn({ isOperator: true, name: '"><script>alert(2)</script>' })
    let last = ''
    for (const name of hostile) {
      const { body } = await owner.send('POST', '/api/applications', { name })
      last = body.id
    }
    for (const name of hostile) await owner.send('POST', `/api/applications/${last}/keys`, { name })
    await browser.visit(t, options, async ({ page }) => {
      await open(page, owner, '/applications')
      const names = page.getByRole('region', { name: 'Your applications' }).getByRole('link')
      await names.nth(hostile.length - 1).waitFor()
      t.same((await names.allTextContents()).sort(), hostile.toSorted())
      await page.goto(`${portalUrl}/applications/${last}`)
      await page.locator('h1').getByText('Active').waitFor()
      t.equal(await page.locator('h1 bdi').textContent(), hostile.at(-1))
      await page.goto(`${portalUrl}/applications/${last}/keys`)
      const keys = page.getByRole('region', { name: 'Keys that work' }).getByRole('rowheader')
      await keys.nth(hostile.length - 1).waitFor()
      t.same((await keys.allTextContents()).sort(), hostile.toSorted())
      await page.goto(`${portalUrl}/applications/${last}/settings`)
      await page.getByRole('button', { name: 'Delete application …', exact: true }).click()
      const confirmed = page.getByRole('dialog').getByRole('textbox')
      await confirmed.fill(hostile.at(-1) ?? '')
      t.ok(
        await page
          .getByRole('dialog')
          .getByRole('button', { name: 'Delete application' })
          .isEnabled(),
      )
      await page.goto(`${portalUrl}/profile`)
      await page.getByRole('form', { name: 'Change name' }).waitFor()
    })
    await browser.visit(t, options, async ({ page }) => {
      await open(page, operator, `/operator/developers?search=${encodeURIComponent('<img src=x')}`)
      await page.getByText('<img src=x onerror=alert(1)>', { exact: true }).waitFor()
      await page.goto(`${portalUrl}/operator/applications`)
      for (const name of hostile) await page.getByText(name, { exact: true }).first().waitFor()
      await page.goto(`${portalUrl}/operator/applications/${last}`)
      await page
        .getByRole('table', { name: 'API keys' })
        .or(page.getByRole('table'))
        .first()
        .waitFor()
      await page.goto(`${portalUrl}/operator/audit`)
      await page
        .getByText(/created the API key/)
        .first()
        .waitFor()
    })
  })

  await t.test(
    'a sign-in leads to a page of the portal, whatever the address asks for',
    async (t) => {
      const developer = await beside.signIn()
      // Others are in local-path.test.ts.
      const foreign = ['//evil.example', '/%2f%2fevil.example', '/\t/evil.example']
      await browser.visit(t, options, async ({ page }) => {
        for (const next of foreign) {
          await open(page, developer, `/sign-in?${new URLSearchParams({ next })}`)
          await page.getByRole('heading', { name: 'Applications' }).waitFor()
          t.equal(page.url(), `${portalUrl}/applications`, next)
        }
        await open(page, developer, '/sign-in?next=%2Fprofile')
        await page.getByRole('heading', { name: 'Profile' }).waitFor()
        t.equal(page.url(), `${portalUrl}/profile`)
      })
    },
  )

  await t.test('the way to the first key needs no mouse, and the focus always shows', async (t) => {
    const developer = await beside.signIn()
    await browser.visit(t, options, async ({ page }) => {
      await open(page, developer, '/')
      await page.getByRole('button', { name: developer.developer.name }).waitFor()
      await page.keyboard.press('Tab')
      t.equal((await focused(page)).text, 'Skip to the content')

      await tabTo(t, page, 'Applications')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Create your first application' }).waitFor()
      t.equal((await focused(page)).text, 'Applications', 'the heading of the new page')
      await tabTo(t, page, 'Name')
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type('By keyboard')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'By keyboard Switch application' }).waitFor()
      await page.getByRole('heading', { name: 'New key: Key 1' }).waitFor()
      t.equal((await focused(page)).text, 'New key: Key 1', 'what appears takes the focus')
      // What arrives later moves what is below it.
      await page.getByRole('list', { name: 'Noa Levi’s accounts' }).waitFor()
      await tabTo(t, page, 'I have stored it')
      await page.keyboard.press('Enter')
      await tabTo(t, page, 'Close this panel')
      await page.keyboard.press('Enter')
      await tabTo(t, page, 'Create key')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Create a key' }).waitFor()
      t.equal((await focused(page)).text, 'Name', 'the form takes the focus')
      await page.keyboard.type('Keyboard')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'New key: Keyboard' }).waitFor()
      await page.getByRole('heading', { name: 'First call with this key' }).waitFor()
      await tabTo(t, page, 'I have stored it')
      await page.keyboard.press('Enter')
      await page.getByText('is no longer shown').waitFor()

      await tabTo(t, page, 'Settings')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
      await tabTo(t, page, 'Delete application …')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      t.match((await focused(page)).text, /^Type By keyboard to confirm/)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await until(
        'the focus is back where it was',
        async () => (await focused(page)).text === 'Delete application …',
      )
    })
  })

  await t.test(
    'only signed calls are taken from when the owner says so until it ends',
    async (t) => {
      const owner = await beside.signIn()
      const operator = await beside.signIn({ isOperator: true })
      const { body } = await owner.send('POST', '/api/applications', { name: 'Signing' })
      const isStrict = async () => (await beside.stores.applications.find(body.id))?.strict
      await browser.visit(t, options, async ({ page }) => {
        const signedOnly = page.getByRole('checkbox', { name: 'Signed calls only', exact: true })
        const saved = page.getByText('Saved', { exact: true })
        await open(page, owner, `/applications/${body.id}/settings`)
        const description = await signedOnly.getAttribute('aria-describedby')
        t.match(
          await page.locator(`[id="${description}"]`).innerText(),
          /only calls of this application that are signed with one of its certificates/,
        )
        t.notOk(await signedOnly.isChecked())
        await tabTo(t, page, 'Signed calls only')
        await page.keyboard.press('Space')
        const dialog = page.getByRole('dialog')
        t.match(await dialog.innerText(), /401 CERTIFICATE_MISSING/, 'it says what breaks')
        t.notOk(await isStrict(), 'nothing happens before the answer')
        await dialog.getByRole('button', { name: 'Accept only signed calls' }).click()
        await saved.waitFor()
        t.equal(await isStrict(), true)
        await page.goto(`${portalUrl}/applications/${body.id}/settings`)
        await signedOnly.waitFor()
        t.ok(await signedOnly.isChecked())
      })
      await browser.visit(t, options, async ({ page }) => {
        await open(page, operator, `/operator/applications/${body.id}`)
        await page.getByText('Signed calls only', { exact: true }).waitFor()
        await page.goto(`${portalUrl}/operator/audit`)
        await page
          .getByText(/changed the application/)
          .first()
          .waitFor()
      })
      await browser.visit(t, options, async ({ page }) => {
        await open(page, owner, `/applications/${body.id}/settings`)
        await page.getByText('Signed calls only', { exact: true }).click()
        await page.getByText('Saved', { exact: true }).waitFor()
        t.equal(await isStrict(), false)
      })
    },
  )

  await t.test(
    'an operator approves, suspends, overrides a limit and closes sign-up',
    async (t) => {
      const { stores } = beside
      const operator = await beside.signIn({ isOperator: true })
      const waiting = await beside.signIn({ name: 'Wanda Waiting' })
      await beside.db
        .updateTable('developers')
        .set({ approved_at: null })
        .where('id', '=', waiting.developer.id)
        .execute()
      const { applicationId, key } = await newApplication(stores, 'Watched')
      const gateway = createClient(t, gatewayUrl, 1)
      const called = async () => {
        const { status, headers } = await gateway.call({ key })
        return `${status} of ${headers['x-ratelimit-limit']}`
      }
      const becomes = (wanted: string) =>
        until(`the call is answered ${wanted}`, async () => (await called()).startsWith(wanted))

      await browser.visit(t, options, async ({ page }) => {
        const button = (name: string) => page.getByRole('button', { name, exact: true })
        await open(page, operator, '/operator/developers')
        await page.getByRole('searchbox', { name: 'Search developers' }).fill('wanda')
        await page.getByText('1 developer', { exact: true }).waitFor()
        await button('Approve Wanda Waiting').click()
        await button('Approve Wanda Waiting').waitFor({ state: 'detached' })
        const chosen = async (verb: string) => {
          await button('Actions for Wanda Waiting').click()
          return page.getByRole('menuitem', { name: `${verb} Wanda Waiting` })
        }
        await (await chosen('Suspend')).click()
        await button('Suspend developer').click()
        await button('Suspend developer').waitFor({ state: 'detached' })
        await (await chosen('Resume')).waitFor()

        await page.goto(`${portalUrl}/operator/applications/${applicationId}`)
        await button('Override a limit').click()
        const limits = page.getByLabel('Limit', { exact: true })
        const newest = limits.locator('option', { hasText: 'consents 1.7.0' })
        await limits.selectOption((await newest.getAttribute('value')) ?? '')
        await page.getByRole('textbox', { name: 'Calls' }).fill('7')
        await page.getByLabel('Until').fill('2099-12-31T23:59')
        await page.getByRole('textbox', { name: 'Reason' }).fill('A test of the portal')
        await button('Override limit').click()
        await page.getByText('7 calls: Payments, accounts and consents 1.7.0').waitFor()
        await until('overridden', async () => (await called()).endsWith('of 7'))
        await button('End the override for Payments, accounts and consents 1.7.0').click()
        await button('End override').click()
        await page.getByText('No overrides').waitFor()
        await until('ended', async () => (await called()).endsWith('of 1000000'))

        await button('Suspend Watched').click()
        await button('Suspend application').click()
        await button('Resume Watched').waitFor()
        await becomes('403')
        await button('Resume Watched').click()
        await button('Resume application').click()
        await button('Suspend Watched').waitFor()
        await until('the application is resumed', async () => !(await called()).startsWith('403'))

        await page.goto(`${portalUrl}/operator/sign-up`)
        await page.getByRole('radio', { name: 'Off' }).check()
        await page.getByText('Saved').waitFor()
        await page.goto(`${portalUrl}/operator/audit`)
        await page
          .getByText(/switched sign-up to “off”/)
          .first()
          .waitFor()
        await page
          .getByText(/ended the override of Watched for Payments, accounts and consents 1.7.0/)
          .first()
          .waitFor()
        await page
          .getByText(/approved the account Wanda Waiting/)
          .first()
          .waitFor()
      })
      await browser.visit(t, options, async ({ page }) => {
        await page.goto(`${portalUrl}/sign-up`)
        await page.getByText('Sign-up is closed').waitFor()
      })
    },
  )

  await t.test('a developer who is no operator finds no operator pages', async (t) => {
    const developer = await beside.signIn()
    await browser.visit(t, options, async ({ page }) => {
      await open(page, developer, '/operator/audit')
      await page.getByText('Page not found').first().waitFor()
      t.equal(await page.getByRole('link', { name: 'Operator' }).count(), 0)
    })
  })
})

interface Focused {
  /** Its label, or what it says. */
  readonly text: string
  /** Whether it looks different from how it looks without the focus. */
  readonly isVisible: boolean
  /** Whether something else covers it. */
  readonly isObscured: boolean
}

function focused(page: Page): Promise<Focused> {
  return page.evaluate<Focused>(`(() => {
    const element = document.activeElement
    if (element === document.body) return { text: '', isVisible: true, isObscured: false }
    const labels = [...(element.labels ?? [])].map((label) => label.innerText)
    const text = element.ariaLabel ?? labels[0] ?? element.innerText ?? ''
    element.style.transition = 'none'
    const look = () => {
      const { outline, border, boxShadow, backgroundColor } = getComputedStyle(element)
      return [outline, border, boxShadow, backgroundColor].join(' ')
    }
    const withFocus = look()
    element.blur()
    const without = look()
    element.focus({ preventScroll: true })
    const { left, top, width, height } = element.getBoundingClientRect()
    const above = document.elementFromPoint(left + width / 2, top + height / 2)
    return {
      text: text.replace(/\\s*\\*$/, '').trim(),
      isVisible: withFocus !== without,
      isObscured: above === null || !(element.contains(above) || above.contains(element)),
    }
  })()`)
}

/** Presses Tab until the element with that text has the focus; the focus shows at every stop. */
async function tabTo(t: Test, page: Page, text: string): Promise<void> {
  const passed: string[] = []
  while (passed.length < 40) {
    await page.keyboard.press('Tab')
    const stop = await focused(page)
    passed.push(stop.text)
    if (stop.text === '') continue
    t.ok(stop.isVisible && !stop.isObscured, `the focus shows on ${stop.text}`)
    if (stop.text === text) return
  }
  t.fail(`Tab never reaches ${text}`, { passed })
}
