import { randomUUID } from 'node:crypto'
import type { Page, Route } from 'playwright-core'
import t from 'tap'
import {
  askedAgain,
  chromiumMissing,
  focusedText,
  horizontalOverflow,
  startBrowser,
} from '../support/browser.ts'
import { createClient } from '../support/calling.ts'
import { chooseOperation } from '../support/choose-operation.ts'
import { awaitMail } from '../support/mails.ts'
import { besidePortal } from '../support/portal-client.ts'
import { runShownCommand } from '../support/shown-command.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const skip = chromiumMissing()
const email = 'ada@example.com'
const password = 'seven quiet herons by the weir'
/** Limit of each operation. */
const calls = 20
/** Fewer than the connections to the database, for which a call waits a second at most. */
const atOnce = 6

t.test(
  'from nothing to a successful call and back to nothing, in a browser, without help',
  { skip },
  async (t) => {
    const tollgate = await runTollgate(t, { isEmbedded: true, plan: { calls, window: 'P365D' } })
    const { portal: portalUrl, gateway: gatewayUrl } = tollgate.urls
    const { db } = await besidePortal(t, tollgate)
    const gateway = createClient(t, gatewayUrl, 8)
    const browser = await startBrowser()

    await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page, expectAnswers }) => {
      const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
      const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true })
      const field = (name: string) => page.getByRole('textbox', { name, exact: true })
      const heading = (name: string | RegExp) => page.getByRole('heading', { name })
      const tab = (name: string) =>
        page
          .getByRole('navigation', { name: 'Parts of this application' })
          .getByRole('link', { name, exact: true })
      const dialog = page.getByRole('dialog')

      // Sign-up: the address first, the password once the mail is opened.
      const main = page.getByRole('main')
      const banner = page.getByRole('banner')
      await page.clock.install()
      await page.goto(portalUrl)
      await banner.getByRole('link', { name: 'Sign in' }).click()
      await main.getByRole('link', { name: 'Sign up' }).click()
      await heading('Sign up').waitFor()
      await field('Email').fill(email)
      await field('Name').fill('Ada Lovelace')
      await main.getByRole('button', { name: 'Sign up' }).click()
      await heading('Check your email').waitFor()
      t.equal(await focusedText(page), 'Check your email', 'a screen reader reads the new heading')
      t.notMatch(await main.innerText(), /no mail server|sends no mails|spam/)
      await link('Open the email').click()
      await heading('Mailbox').waitFor()
      await link('Confirm the address').click()
      await heading('Choose your password').waitFor()
      t.equal(page.url(), `${portalUrl}/verify`, 'the token is not left in the address bar')
      const newPassword = page.getByLabel('New password', { exact: true })
      await newPassword.fill(password.slice(0, 9))
      await page.getByText('9 of 15 characters').waitFor()
      await newPassword.fill(password)
      await button('Set the password').click()

      // Signed in by that, and still after the tab is opened anew.
      await heading('Create your first application').waitFor()
      await button('Account of Ada Lovelace').click()
      await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
      await heading('APIs').first().waitFor()

      const signIn = async () => {
        await field('Email').fill(email)
        await page.getByLabel('Password', { exact: true }).fill(password)
        await main.getByRole('button', { name: 'Sign in' }).click()
      }
      await banner.getByRole('link', { name: 'Sign in' }).click()
      await heading('Sign in').waitFor()
      await signIn()
      await button('Account of Ada Lovelace').waitFor()

      // Application and subscription.
      await banner.getByRole('link', { name: 'Applications' }).click()
      await heading('Create your first application').waitFor()
      await field('Name').fill('Budget planner')
      await button('Only create the application').click()
      await heading('Subscriptions').first().waitFor()
      const versions = page.getByLabel('API version')
      const newest = versions.locator('option', { hasText: '1.7.0' })
      await versions.selectOption((await newest.getAttribute('value')) ?? '')
      // The page reads the list again; what the developer opens before that stays open.
      const readAgain = await holdSubscriptions(page)
      await button('Subscribe and create a key').click()

      // Key, shown once, with a command that works as pasted.
      const key = (await page.getByRole('region', { name: 'key', exact: true }).innerText()).trim()
      t.match(key, /^tg_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
      await heading('First call with this key').waitFor()
      await page.getByText('Call from your own code').click()
      await readAgain()
      const shown = page.getByRole('region', { name: 'code of the call, curl' })
      const command = (await shown.innerText()).trim()
      t.ok(command.includes(key) && command.includes(gatewayUrl), command)
      const first = await runShownCommand(command)
      t.equal(first.status, 201, first.body)

      // The panel fills by itself.
      await askedAgain(page, heading('The first call arrived'))
      await page.getByText(`${calls - 1} of ${calls} left`).waitFor()
      await button('I have stored it').click()
      t.notOk((await page.content()).includes(key), 'the key is not shown any more')

      // Usage from the counter that is enforced.
      await tab('Usage').click()
      await page.getByText(`1 of ${calls} used`).waitFor()

      // The same from this page, by a real call that counts, and the rest of the limit by the command.
      await tab('Playground').click()
      await chooseOperation(page, 'createConsent')
      await button('Send call').click()
      await page.getByText('201 Created').waitFor()
      await page.getByText(`${calls - 2} of ${calls} calls left for this operation`).waitFor()
      for (let made = 2; made < calls; made += atOnce) {
        const commands = Array.from({ length: atOnce }, () => runShownCommand(again(command)))
        for (const { status, body } of await Promise.all(commands)) t.equal(status, 201, body)
      }
      const requestId = randomUUID()
      const refused = await runShownCommand(again(command, requestId))
      t.match([refused.status, refused.body], [429, /QUOTA_EXCEEDED/])
      await tab('Usage').click()
      await askedAgain(page, page.getByText(`${calls} of ${calls} used`))
      await page.getByText('Used up: calls get 429.').waitFor()

      // The refusal explained.
      await tab('Calls').click()
      await page.getByRole('cell', { name: requestId.slice(0, 8) }).waitFor()
      await field('Request ID').fill(requestId)
      await button('Look up').click()
      await dialog.getByText('Refused').waitFor()
      await dialog.getByRole('link', { name: 'What QUOTA_EXCEEDED means' }).waitFor()
      t.match(await dialog.innerText(), `All ${calls} calls`)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })

      // One click away: the link in the body of the 429.
      const readFirst = await holdSubscriptions(page)
      await page.goto(JSON.parse(refused.body).log)
      await dialog.getByText('Refused').waitFor()
      t.match(await dialog.innerText(), `All ${calls} calls`)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })

      // Rotation with an overlap; after it the old key is dead.
      await tab('API keys').click()
      await button('Actions for Key 1').click()
      await page.getByRole('menuitem', { name: 'Rotate key Key 1' }).click()
      await dialog.getByRole('radio', { name: 'Keep it working for 1 hour' }).check()
      await dialog.getByRole('button', { name: 'Rotate key' }).click()
      await heading('First call with this key').waitFor()
      const ownCode = page.getByText('Call from your own code')
      t.equal(await ownCode.count(), 0, 'nothing to open that would close again')
      await readFirst()
      await ownCode.waitFor()
      const shownKey = page.getByRole('region', { name: 'key', exact: true })
      const newKey = (await shownKey.innerText()).trim()
      t.not(newKey, key)
      await button('I have stored it').click()
      const codeOf = async (each: string) => (await gateway.call({ key: each })).status
      t.notSame([await codeOf(key), await codeOf(newKey)], [401, 401])
      t.not(await codeOf(key), 401, 'the old key works on')
      await db
        .updateTable('api_keys')
        .set({ expires_at: new Date(Date.now() - 1000) })
        .where('id', '=', key.split('_')[1] ?? '')
        .execute()
      await tab('Settings').click()
      await field('Name').fill('Budget planner 2')
      await button('Save name').click()
      await button('Budget planner 2 Switch application').waitFor()
      await tab('API keys').click()
      await until('the old key is dead', async () => (await codeOf(key)) === 401)
      t.not(await codeOf(newKey), 401)

      // Revocation.
      await tab('API keys').click()
      await button('Close this panel').click()
      await page.getByRole('button', { name: 'Actions for Key 1' }).first().click()
      await page.getByRole('menuitem', { name: /^Revoke key/ }).click()
      await dialog.getByRole('button', { name: 'Revoke key' }).click()
      await page.getByText('No working API keys').waitFor()
      await until('revoked', async () => (await codeOf(newKey)) === 401)

      // The application, then the account.
      t.equal(await horizontalOverflow(page), 0)
      await tab('Settings').click()
      await button('Delete application …').click()
      await dialog.getByRole('textbox').fill('Budget planner 2')
      await dialog.getByRole('button', { name: 'Delete application' }).click()
      await heading('Create your first application').waitFor()
      await button('Account of Ada Lovelace').click()
      await page.getByRole('menuitem', { name: 'Profile' }).click()

      // The profile: what signs in asks for the password, and says at its field what is wrong.
      const form = (name: string) => page.getByRole('form', { name })
      const save = async (name: string, current: string) => {
        await form(name).getByLabel('Current password').fill(current)
        await form(name).getByRole('button', { name }).click()
      }
      await form('Change name')
        .getByRole('textbox', { name: 'Name', exact: true })
        .fill('Countess Lovelace')
      await form('Change name').getByRole('button', { name: 'Change name' }).click()
      await page.getByText('Name changed').waitFor()
      await button('Account of Countess Lovelace').waitFor()
      await button('Change address').click()
      await form('Change address')
        .getByRole('textbox', { name: 'New address' })
        .fill('countess@example.com')
      expectAnswers('401 /api/session/developer')
      await save('Change address', 'not the password')
      await page.getByText('This is not your current password.').waitFor()
      await save('Change address', password)
      await page
        .getByText('Waiting for you to open the link sent to countess@example.com')
        .waitFor()
      await awaitMail(tollgate.dataDir, { kind: 'email-change', to: 'countess@example.com' })
      await page.getByRole('checkbox', { name: 'Limits', exact: true }).uncheck()
      await page.getByText('Saved').waitFor()
      await page.reload()
      await page.getByRole('checkbox', { name: 'Limits', exact: true }).waitFor()
      t.notOk(await page.getByRole('checkbox', { name: 'Limits', exact: true }).isChecked())

      await button('Delete account …').click()
      await dialog.getByLabel('Current password').fill(password)
      await dialog.getByRole('textbox', { name: `Type ${email} to confirm` }).fill(email)
      await dialog.getByRole('button', { name: 'Delete account' }).click()
      await banner.getByRole('link', { name: 'Sign in' }).click()
      await heading('Sign in').waitFor()
      expectAnswers('401 /api/session')
      await signIn()
      await page.getByText('Email and password do not match').waitFor()
      t.same(await db.selectFrom('developers').where('email', '=', email).selectAll().execute(), [])
    })
  },
)

/** The same call once more, under its own identifier. */
function again(command: string, requestId: string = randomUUID()): string {
  return command.replace(/(X-Request-ID: )[0-9a-f-]{36}/i, `$1${requestId}`)
}

/** Holds the answers that list subscriptions until the returned function is called, which ends with the first. */
async function holdSubscriptions(page: Page): Promise<() => Promise<void>> {
  const path = '**/api/applications/*/subscriptions'
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const hold = async (route: Route) => {
    if (route.request().method() === 'GET') await released
    await route.fallback()
  }
  await page.route(path, hold)
  return async () => {
    const answered = page.waitForResponse(path)
    release()
    await answered
    await page.unroute(path, hold)
  }
}
