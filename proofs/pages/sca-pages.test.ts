import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { accessibilityViolations } from '../../test/support/accessibility.ts'
import { testBank } from '../../test/support/bank.ts'
import { chromiumMissing, launchBrowser } from '../../test/support/browser.ts'
import { consentRequest } from '../../test/support/requests.ts'

const skip = chromiumMissing()
const sandbox = { secrets: () => ['s'.repeat(43)], portalUrl: () => 'https://portal.bank.test' }

t.test(
  'a PSU without scripts signs in, picks, approves and is back at the TPP',
  { skip },
  async (t) => {
    const tpp = createServer((request, response) => response.end(`back at ${request.url}`))
    await new Promise<void>((resolve) => tpp.listen(0, '127.0.0.1', resolve))
    t.teardown(() => tpp.close())
    const { port } = tpp.address() as AddressInfo
    const bank = await testBank(t, { sandbox })
    const sca = await bank.backend.sca.listen({ host: '127.0.0.1', port: 0 })
    const browser = await launchBrowser()

    /** The address of the page for a bank-offered consent. */
    async function link(): Promise<string> {
      const { body } = await bank.call({
        operation: 'createConsent',
        headers: { 'tpp-redirect-uri': `http://127.0.0.1:${port}/return?session=7` },
        body: { ...consentRequest, access: { accounts: [], balances: [], transactions: [] } },
      })
      return `${sca}${new URL(body._links.scaRedirect.href).pathname}`
    }

    const without = await browser.newContext({ javaScriptEnabled: false })
    t.teardown(() => without.close())
    const page = await without.newPage()
    await page.goto(await link())
    await page.getByLabel('ID number or alias').fill('305567661')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    t.match(await page.getByRole('alert').textContent(), /wrong/)
    await page.getByLabel('Password').fill('12345')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Signed in as Noa Levi').waitFor()
    for (const box of await page.getByRole('checkbox').all()) await box.uncheck()
    await page.getByLabel('IL91 0205 7100 0000 0445 566').check()
    await page.getByLabel('One-time code').fill('123456')
    await page.getByRole('button', { name: 'Allow access' }).click()
    await page.waitForURL(/session=7$/)
    t.match(await page.content(), /back at \/return\?session=7/)

    // In both directions, light and dark, at the width of a phone; each file of the pages comes from the bank.
    for (const { locale, direction, button } of looks) {
      const context = await browser.newContext({ locale, viewport: { width: 390, height: 844 } })
      t.teardown(() => context.close())
      const scripted = await context.newPage()
      const complaints: string[] = []
      scripted.on('console', (message) => complaints.push(message.text()))
      scripted.on('request', (request) => {
        const { origin } = new URL(request.url())
        if (origin !== sca && origin !== `http://127.0.0.1:${port}`) complaints.push(request.url())
      })
      const checked = async (name: string) => {
        t.equal(await scripted.locator('html').getAttribute('dir'), direction, name)
        for (const colorScheme of ['light', 'dark'] as const) {
          await scripted.emulateMedia({ colorScheme })
          t.strictSame(await accessibilityViolations(scripted), [], `${name}, ${colorScheme}`)
        }
        const widths = 'document.documentElement.scrollWidth <= innerWidth'
        t.ok(await scripted.evaluate(widths), `${name} fits a phone`)
      }
      await scripted.goto(`${sca}/nothing`)
      await checked('nothing here')
      await scripted.goto(`${sca}/`)
      await checked('front page')
      await scripted.goto(await link())
      await checked('sign-in')
      await scripted.locator('#psu').fill('305567661')
      await scripted.locator('#password').fill('12345')
      // By keyboard alone.
      await scripted.keyboard.press('Enter')
      await scripted.getByText(locale === 'en-GB' ? 'Noa Levi' : 'נועה לוי').waitFor()
      await checked('decision')
      const code = scripted.locator('#code')
      await code.pressSequentially('123456')
      const scrolled = 'document.querySelector("#code").scrollLeft'
      t.equal(await scripted.evaluate(scrolled), 0, 'six digits fit their boxes')
      await scripted.getByRole('button', { name: button }).click()
      await scripted.waitForURL(/session=7$/)
      const unexpected = complaints.filter((text) => !text.includes('404 (Not Found)'))
      t.strictSame(unexpected, [], 'no foreign request, nothing against the policy')
    }
  },
)

const looks = [
  { locale: 'en-GB', direction: 'ltr', button: 'Decline' },
  { locale: 'he-IL', direction: 'rtl', button: 'דחייה' },
] as const
