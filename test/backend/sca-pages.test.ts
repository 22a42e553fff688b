import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { testBank } from '../support/bank.ts'
import { accessibilityViolations, chromiumMissing, launchBrowser } from '../support/browser.ts'
import { consentRequest } from '../support/requests.ts'

const skip = chromiumMissing()

t.test(
  'a PSU without scripts signs in, picks, approves and is back at the TPP',
  { skip },
  async (t) => {
    const tpp = createServer((request, response) => response.end(`back at ${request.url}`))
    await new Promise<void>((resolve) => tpp.listen(0, '127.0.0.1', resolve))
    t.teardown(() => tpp.close())
    const { port } = tpp.address() as AddressInfo
    const bank = await testBank(t)
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
    await page.getByLabel('One-time password').fill('123456')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL(/session=7$/)
    t.match(await page.content(), /back at \/return\?session=7/)

    const scripted = await browser.newPage()
    t.teardown(() => scripted.close())
    await scripted.goto(await link())
    t.strictSame(await accessibilityViolations(scripted), [], 'sign-in')
    await scripted.getByLabel('ID number or alias').fill('305567661')
    await scripted.getByLabel('Password').fill('12345')
    // By keyboard alone.
    await scripted.keyboard.press('Enter')
    await scripted.getByText('Signed in as Noa Levi').waitFor()
    t.strictSame(await accessibilityViolations(scripted), [], 'decision')
    if (process.env['SCREENSHOTS'] !== undefined) {
      await scripted.screenshot({ path: `${process.env['SCREENSHOTS']}/decision.png` })
    }
    await scripted.getByRole('button', { name: 'Refuse' }).click()
    await scripted.waitForURL(/session=7$/)
  },
)
