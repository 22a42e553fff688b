import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { chromiumMissing, focusedText, startBrowser } from '../../test/support/browser.ts'
import { operationField } from '../../test/support/choose-operation.ts'
import { awaitMail } from '../../test/support/mails.ts'
import { openState } from '../../test/support/portal-states.ts'
import { startPortalWorld, type Viewer } from '../../test/support/portal-world.ts'
import { until } from '../../test/support/until.ts'

interface ShownTime {
  readonly text: string
  readonly at: string
  readonly title: string
  readonly parent: string
}

t.test('details of the pages', { skip: chromiumMissing(), timeout: 240_000 }, async (t) => {
  const world = await startPortalWorld(t)
  const { tollgate, beside, applications } = world
  const { portal: portalUrl, gateway: gatewayUrl } = tollgate.urls
  const browser = await startBrowser()
  const options = { portalUrl, gatewayUrl }
  const busy = `/applications/${applications.busy}`

  /** Opens a path as the developer of the busy application, or as another viewer. */
  async function open(page: Page, path: string, viewer: Viewer = 'developer') {
    await openState(page, world, { name: '', viewer, path })
  }

  await t.test('a browser set to another language', async (t) => {
    // One with other digits, other months and another order of both.
    const context = { locale: 'ar-EG', timezoneId: 'Asia/Tokyo' }
    await browser.visit(t, { ...options, context }, async ({ page }) => {
      await t.test('shows dates in the language of the page', async (t) => {
        let seen = 0
        for (const path of ['/applications', busy, `${busy}/calls`, `${busy}/usage`]) {
          await open(page, path)
          await page.locator('time').first().waitFor({ state: 'attached' })
          const times = await page.evaluate<ShownTime[]>(
            `[...document.querySelectorAll('time')].map((time) => ({
              text: time.textContent,
              at: time.dateTime,
              title: time.title,
              parent: time.parentElement.tagName,
            }))`,
          )
          for (const { text, at, title, parent } of times) {
            t.equal(parent, 'BDI')
            t.notMatch(text, /[^\x20-\x7e]/)
            // How long ago, or the time of a call of the last day; its title is the whole time.
            if (/ago$|^now$|^\d\d:\d\d:\d\d$/.test(text)) {
              t.match(title, /^\d{1,2} [A-Z][a-z]{2,3} \d{4}, \d\d:\d\d:\d\d$/)
            } else if (at.length === 10) t.match(text, /^\d{1,2} [A-Z][a-z]{2,3} \d{4}$/)
            else {
              t.match(text, /^\d{1,2} [A-Z][a-z]{2,3} \d{4}, \d\d:\d\d(:\d\d)?$/)
              t.equal(title.replace(' UTC', '').replace(' ', 'T'), at.slice(0, 19))
            }
          }
          seen += times.length
        }
        t.ok(seen > 10, `${seen} times`)
        await page.getByText('Hourly figures').click()
        const steps = page
          .getByRole('region', { name: 'Figures of the chart' })
          .locator('tbody td:first-child')
        await steps.first().waitFor()
        for (const name of await steps.allInnerTexts()) {
          t.match(name, /^\d{1,2} [A-Z][a-z]{2,3}, \d\d:\d\d$/)
        }
      })

      await t.test("gives times in a sentence only in the reader's zone", async (t) => {
        await open(page, `/r/${world.refusedCall}`)
        const sentence = page.getByText(/The limit resets at/).first()
        await sentence.waitFor()
        t.match(await sentence.innerText(), /resets at \d{1,2} \w{3,4} \d{4}, 09:00\./)
        t.notMatch(await page.getByRole('dialog').innerText(), 'UTC')
      })
    })
  })

  await t.test('on a phone each part of an application begins within 200 pixels', async (t) => {
    const context = { viewport: { width: 390, height: 844 } }
    await browser.visit(t, { ...options, context }, async ({ page }) => {
      await open(page, busy)
      const parts = page.getByRole('navigation', { name: 'Parts of this application' })
      for (const name of await parts.getByRole('link').allInnerTexts()) {
        await parts.getByRole('link', { name, exact: true }).click()
        const current = parts.locator('[aria-current]')
        await current.getByText(name, { exact: true }).waitFor()
        if (['Overview', 'Subscriptions', 'Usage'].includes(name)) {
          await page.getByText('1.6.0 ends on').waitFor()
        } else {
          t.equal(await page.getByText('1.6.0 ends on').count(), 0, name)
        }
        const top = await page.evaluate<number>(
          `[...document.querySelector('h1').closest('.mantine-Stack-root').parentElement.nextElementSibling.children]
            .find((element) => element.dataset.tone === undefined).getBoundingClientRect().top`,
        )
        t.ok(top <= 200, `${name}: ${top}`)
        const box = await current.boundingBox()
        t.ok(box !== null && box.x >= 0 && box.x + box.width <= 390, `${name} is in sight`)
      }
    })
  })

  await t.test('on a phone the main menu closes when the focus leaves it', async (t) => {
    const context = { viewport: { width: 390, height: 844 } }
    await browser.visit(t, { ...options, context }, async ({ page }) => {
      await open(page, '/guides')
      const menu = page.getByRole('navigation', { name: 'Menu', exact: true })
      const button = page.getByRole('button', { name: 'Menu', exact: true })
      await button.press('Enter')
      const links = await menu.getByRole('link').all()
      for (const link of links) {
        await page.keyboard.press('Tab')
        await link.and(page.locator(':focus')).waitFor()
      }
      t.ok(links.length > 1)
      await page.keyboard.press('Tab')
      await menu.waitFor({ state: 'hidden' })
      await page.locator('main :focus').waitFor()

      await button.press('Enter')
      await menu.waitFor()
      await page.keyboard.press('Shift+Tab')
      await page.locator('header :focus').waitFor()
      await menu.waitFor({ state: 'hidden' })
    })
  })

  await browser.visit(t, options, async ({ page, expectAnswers, expectFault, expectOutage }) => {
    const main = page.getByRole('main')

    await t.test('after "Send the link" the focus is on the new heading', async (t) => {
      await page.goto(`${portalUrl}/reset`)
      await page.getByLabel('Email').fill('nobody@example.com')
      await page.getByRole('button', { name: 'Send the link' }).click()
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
      t.equal(await focusedText(page), 'Check your email')
    })

    await t.test('a refused password is not praised for its length', async (t) => {
      const email = 'weak@example.com'
      await beside.anonymous('POST', '/api/developers', { email, name: 'Wendy' })
      const { text } = await awaitMail(tollgate.dataDir, { kind: 'sign-up', to: email })
      const [, token] = /#token=([A-Za-z0-9_-]+)/.exec(text) ?? []
      expectAnswers('400 /api/developers/verify')
      await page.goto(`${portalUrl}/verify#token=${token}`)
      const password = page.getByLabel('New password', { exact: true })
      await password.fill('correct horse battery staple')
      await page.getByText('28 characters, long enough').waitFor()
      await page.getByRole('button', { name: 'Set the password' }).click()
      await page.getByText(/^Must be harder to guess: .* Use four or more words/).waitFor()
      t.equal(await page.getByText('long enough').count(), 0)
      await password.fill('correct horse battery staple in')
      await page.getByText('31 characters, long enough').waitFor()
      t.equal(await page.getByText('Must be harder to guess').count(), 0)
    })

    await t.test(
      'password fields hide what is typed, and let it be pasted and filled in',
      async (t) => {
        const seen: string[] = []
        async function look(path: string, opener?: string): Promise<void> {
          await page.goto(`${portalUrl}${path}`)
          if (opener !== undefined) await page.getByRole('button', { name: opener }).click()
          await page.locator('input[autocomplete$="-password"]').first().waitFor()
          const fields = await page.evaluate<string[]>(
            `[...document.querySelectorAll('input[autocomplete$="-password"]')].map((field) => {
              const paste = new ClipboardEvent('paste', { bubbles: true, cancelable: true })
              return [field.autocomplete, field.type, field.dispatchEvent(paste)].join(' ')
            })`,
          )
          seen.push(...fields)
        }
        await look('/sign-in')
        await look('/reset/confirm#token=any')
        await open(page, '/applications')
        await look('/profile', 'Change password')
        await look('/profile', 'Change address')
        t.ok(seen.length >= 5, seen.join())
        const expected = ['current-password password true', 'new-password password true']
        t.same([...new Set(seen)].sort(), expected)
      },
    )

    await t.test(
      'the first choice of a subscription is the newest version of the largest API',
      async (t) => {
        await open(page, `/applications/${applications.fresh}/subscriptions`, 'newcomer')
        const choice = page.getByLabel('API version')
        await choice.waitFor()
        t.equal(await choice.inputValue(), 'xs2a@1.7.0')
        await page
          .getByText('Single payments, accounts, card accounts and consents of a bank')
          .waitFor()
        await choice.selectOption('mandate@1.0.0')
        await page
          .getByText("A mandate gives a creditor the right to collect from a debtor's account")
          .waitFor()
      },
    )

    await t.test('a day in a year above 9999 is refused at its field', async () => {
      await open(page, `/applications/${applications.fresh}/keys`, 'newcomer')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByLabel('Expires').selectOption('date')
      await page.getByLabel('Last day').fill('12026-01-01')
      await page.locator('form').getByRole('button', { name: 'Create key' }).click()
      await page.getByText('Enter a day before the year 10000.').waitFor()
    })

    await t.test('a call that was refused is no call to the version that ends', async () => {
      await beside.stores.subscriptions.add({
        applicationId: applications.fresh,
        api: 'xs2a',
        version: '1.6.0',
        plan: 'default',
        by: 'test',
      })
      await beside.db
        .insertInto('usage_hours')
        .values({
          application_id: applications.fresh,
          at: new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000),
          api: 'xs2a',
          version: '1.6.0',
          operation: 'listAccounts',
          admitted: 0,
          refused: 1,
          refused_by_limit: 0,
          errors: 0,
          duration_ms_sum: 1,
          duration_ms_max: 1,
        })
        .execute()
      await open(page, `/applications/${applications.fresh}/subscriptions`, 'newcomer')
      await page.getByText('1.6.0 ends on').click()
      await page.getByText('This application made no calls to it in the last 30 days.').waitFor()
    })

    await t.test(
      'the "log" link of an error shows the call to its owner, and to others as unknown',
      async (t) => {
        const path = `/r/${world.refusedCall}`
        await open(page, path, 'newcomer')
        await page.getByText('None of your applications has a call with this request ID.').waitFor()
        t.notMatch(await main.innerText(), /429|Budget planner/)
        await page.getByRole('link', { name: 'Your applications' }).click()
        await page.getByRole('link', { name: 'Fresh idea' }).waitFor()
        await open(page, path)
        await page.getByRole('dialog').getByText('429', { exact: true }).waitFor()
        t.equal(page.url(), `${portalUrl}${busy}/calls?request=${world.refusedCall}`)
      },
    )

    await t.test('the chart of the overview has its numbers in a table', async (t) => {
      await open(page, busy)
      await page.getByText('Hourly figures').click()
      const numbers = page.getByRole('region', { name: 'Figures of the chart' })
      await numbers.getByRole('columnheader', { name: 'Hour' }).waitFor()
      t.ok((await numbers.locator('tbody tr').count()) > 0)
    })

    await t.test('back from the bank, the page leads to the status of the consent', async (t) => {
      const returned = '/sandbox/return?consentId=99391c7e-ad88-49ec-a2ad-99ddcb1f7721&outcome='
      await open(page, `${returned}approved`)
      t.match(await main.innerText(), /send its address in the header TPP-Redirect-URI/)
      await main
        .getByText(/GET \/v1\.7\.0\/consents\/99391c7e-\S+\/status until the status is valid/)
        .waitFor()
      await main.getByText('GET /v1.7.0/accounts').waitFor()
      await main.getByRole('link', { name: 'Try it with Budget planner' }).click()
      await page.getByRole('heading', { name: 'Playground', level: 1 }).waitFor()
      t.match(await operationField(page).inputValue(), /^Read the status of a consent · GET$/)
      await open(
        page,
        '/sandbox/return?paymentId=99391c7e-ad88-49ec-a2ad-99ddcb1f7721&outcome=approved',
      )
      await main.getByText(/requestedExecutionDate keeps the status ACTC or ACWC/).waitFor()
      await open(page, `${returned}refused`)
      t.match(await main.innerText(), /Ask again with a new request/)
      t.notMatch(await main.innerText(), /GET \S*accounts/i)
    })

    await t.test(
      'menus and lists of choices work by keyboard, and the focus returns',
      async (t) => {
        await open(page, `${busy}/keys`)
        const actions = page.getByRole('button', { name: 'Actions for Production' })
        const focused = (element: Locator) => element.and(page.locator(':focus')).waitFor()
        await actions.press('Enter')
        await focused(page.getByRole('menuitem', { name: 'Rotate key Production' }))
        await page.keyboard.press('ArrowUp')
        await focused(page.getByRole('menuitem', { name: 'Revoke key Production' }))
        await page.keyboard.press('Escape')
        await focused(actions)
        await actions.press('Enter')
        await focused(page.getByRole('menuitem', { name: 'Rotate key Production' }))
        await page.keyboard.press('End')
        await page.keyboard.press('Enter')
        await page.getByRole('dialog').waitFor()
        await page.keyboard.press('Escape')
        await focused(actions)

        const tab = async () => {
          await page.keyboard.press('Tab')
          return page.evaluate<string>('document.activeElement.outerHTML')
        }
        const afterActions = await tab()
        await actions.press('Enter')
        await focused(page.getByRole('menuitem', { name: 'Rotate key Production' }))
        t.equal(await tab(), afterActions, 'Tab leaves the menu and its button')
        t.equal(await page.getByRole('menu').count(), 0)

        await open(page, `${busy}/playground`)
        const operation = operationField(page)
        await operation.waitFor()
        await operation.focus()
        await page.keyboard.type('getConsentStatus')
        await page.getByRole('option', { name: /Read the status of a consent/ }).waitFor()
        t.equal(await selectedOption(page).count(), 0)
        await page.keyboard.press('ArrowDown')
        await announces(t, operation, /Read the status of a consent/)
        // Keyboards on Android send no code.
        await operation.dispatchEvent('keydown', { key: 'Enter', code: '' })
        await focused(operation)
        t.match(await operation.inputValue(), /^Read the status of a consent · GET$/)
        t.equal(await page.getByRole('listbox').count(), 0)
        await page.keyboard.press('Alt+ArrowDown')
        await page.getByRole('listbox').waitFor()
        t.equal(await selectedOption(page).count(), 0)
        await page.keyboard.press('ArrowUp')
        await selectedOption(page).and(page.locator(listed).last()).waitFor()
        await page.keyboard.press('Home')
        await selectedOption(page).waitFor({ state: 'hidden' })
        await page.keyboard.press('Escape')
        await page.getByRole('listbox').waitFor({ state: 'hidden' })
      },
    )

    await t.test(
      'Enter chooses only the announced person, even when the list changes',
      async (t) => {
        await open(page, '/operator/audit', 'operator')
        const who = page.getByRole('combobox', { name: 'Who' })
        const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
        await page.route('**/api/operator/developers?search=ada*', async (route) => {
          await isReleased
          await route.continue()
        })
        const asked = page.waitForRequest('**/api/operator/developers?search=ada*')
        await who.fill('ada')
        await asked
        // The list still has everyone.
        t.equal(await page.getByRole('status').getByText('No match', { exact: true }).count(), 0)
        await page.keyboard.press('ArrowUp')
        const last = (await page.locator(listed).last().textContent()) ?? ''
        await announces(t, who, last)
        release()
        await page.locator(listed).filter({ hasText: last }).waitFor({ state: 'hidden' })
        t.equal(await who.getAttribute('aria-activedescendant'), null)
        await page.keyboard.press('Enter')
        t.equal(new URL(page.url()).search, '')
        await page.keyboard.press('ArrowDown')
        await announces(t, who, /Ada Lovelace/)
        await page.keyboard.press('Enter')
        await page.waitForURL('**/operator/audit?actor=developer*')
        await who.fill('without a match')
        await page.getByRole('status').getByText('No match', { exact: true }).waitFor()
        await page.unroute('**/api/operator/developers?search=ada*')
      },
    )

    await t.test('the search works by keyboard alone, and the focus is never lost', async (t) => {
      await open(page, '/guides')
      const field = page.getByRole('combobox', { name: 'Search the portal' })
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
      await page.route('**/api/applications?limit=100', async (route) => {
        await isReleased
        await route.continue()
      })
      await page.keyboard.press('Control+KeyK')
      await announces(t, field, /APIs/)
      release()
      await page.getByRole('option', { name: /Budget planner/ }).waitFor()
      await page.unroute('**/api/applications?limit=100')
      t.equal(await selectedOption(page).and(page.locator(listed).first()).count(), 1)

      await page.keyboard.press('ArrowUp')
      await selectedOption(page).and(page.locator(listed).last()).waitFor()
      await field.fill('limits')
      await announces(t, field, /Know your limits/)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Handle 429' }).waitFor()
      await page.locator('h1:focus').waitFor()
      t.equal(await focusedText(page), 'Know your limits')

      const button = page.getByRole('button', { name: 'Search' })
      await button.press('Enter')
      await field.waitFor()
      await field.dispatchEvent('keydown', { key: 'Escape', isComposing: true })
      t.ok(await field.isVisible(), 'Escape ends a composition, not the search')
      await page.keyboard.press('Escape')
      await field.waitFor({ state: 'hidden' })
      await until('the focus is on the search', async () =>
        (await focusedText(page)).includes('Search'),
      )

      await page.keyboard.press('Control+KeyK')
      await field.fill('Budget')
      await announces(t, field, /Budget planner/)
      const id = '99391c7e-ad88-49ec-a2ad-99ddcb1f7721'
      await field.fill(`urn:uuid:${id}`)
      await announces(t, field, /Look up this call/)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/r/${id}`)
    })

    await t.test(
      "a guide names one of the reader's keys and shows where to paste it",
      async (t) => {
        await open(page, '/guides/first-call')
        const code = page.getByRole('region', { name: 'Shell' }).first()
        await code.getByText("export API_KEY='paste your key'").waitFor()
        const python = page.getByRole('tab', { name: 'Python' })
        await python.first().click()
        t.equal(
          await page.getByRole('tab', { name: 'Python', selected: true }).count(),
          await python.count(),
        )
        await page.getByText('import requests').first().waitFor()
      },
    )

    await t.test('an answer of another shape shows an error, not an empty list', async (t) => {
      await page.route('**/api/applications?*', (route) => route.fulfill({ json: {} }))
      await open(page, '/applications')
      await page.getByText('Unexpected response from the portal').waitFor()
      t.equal(await page.getByText('Create your first application').count(), 0)
      await page.unroute('**/api/applications?*')
    })

    await t.test(
      'a fault of the page says what to report; a lost connection says that',
      async (t) => {
        const alert = page.getByRole('alert')
        await page.goto(`${portalUrl}/sandbox`)
        await page.getByRole('heading', { name: 'Noa Levi' }).waitFor()
        expectFault(/Cannot read properties of undefined/)
        await page.route('**/api/apis', (route) => route.fulfill({ json: { items: [{}] } }))
        await page.getByRole('link', { name: 'APIs', exact: true }).click()
        await alert.getByText('Something is wrong with this page').waitFor()
        t.match(
          await alert.innerText(),
          /not in your connection[\s\S]*report[\s\S]*TypeError: .* \(\/\)/,
        )
        await page.unroute('**/api/apis')
        await alert.getByRole('button', { name: 'Reload the page' }).click()
        await page.getByText('1.7.0').first().waitFor()

        await page.goto(portalUrl)
        await page.getByText('1.7.0').first().waitFor()
        expectOutage()
        expectFault(/the script of the page did not load/)
        await page.route('**/*', (route) => route.abort())
        await page.getByRole('link', { name: 'Sandbox', exact: true }).click()
        await alert.getByText('This page could not be loaded').waitFor()
        t.match(await alert.innerText(), /Check your connection/)
        t.notMatch(await alert.innerText(), /fault|report/)

        // The connection is back: the page asks again by itself.
        await page.unroute('**/*')
        await page.evaluate("window.dispatchEvent(new Event('online'))")
        await page.getByRole('heading', { name: 'Noa Levi' }).waitFor()
      },
    )
  })
})

/** Not those of a `select`. */
const listed = '[role="option"]:visible'

/** The option that a screen reader announces as selected. */
function selectedOption(page: Page): Locator {
  return page.locator(`${listed}[aria-selected="true"]`)
}

/** A screen reader announces that option, and no other, as the active one of a field. */
async function announces(t: Test, field: Locator, option: string | RegExp): Promise<void> {
  const selected = selectedOption(field.page())
  await selected.filter({ hasText: option }).waitFor()
  t.equal(await selected.count(), 1)
  t.equal(await field.getAttribute('aria-activedescendant'), await selected.getAttribute('id'))
}
