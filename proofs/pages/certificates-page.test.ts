import { readFileSync } from 'node:fs'
import t from 'tap'
import { accessibilityViolations } from '../../test/support/accessibility.ts'
import { createAuthority } from '../../test/support/authority.ts'
import { chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { runTollgate } from '../../test/support/tollgate.ts'

t.test('in a browser', { skip: chromiumMissing(), timeout: 240_000 }, async (t) => {
  const tollgate = await runTollgate(t)
  const { portal: portalUrl } = tollgate.urls
  const beside = await besidePortal(t, tollgate)
  const authority = createAuthority(t)
  const browser = await startBrowser()
  const owner = await beside.signIn()
  const { body: application } = await owner.send('POST', '/api/applications', { name: 'Certified' })
  const list = () => beside.stores.certificates.list({ applicationId: application.id })

  /** Opens the settings of the application as its owner. */
  async function open(page: import('playwright-core').Page): Promise<void> {
    const { cookie } = owner
    await page
      .context()
      .addCookies([{ ...cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' }])
    await page.goto(`${portalUrl}/applications/${application.id}/settings`)
    await page.getByText('No certificates yet').waitFor()
  }

  await t.test('a developer pastes a certificate, sees what it says, and removes it', async (t) => {
    const { pem, key, thumbprint } = authority.issue()
    await browser.visit(t, { portalUrl }, async ({ page, expectAnswers }) => {
      expectAnswers('400 /api/applications/*/certificates')
      await open(page)
      const add = page.getByRole('button', { name: 'Add certificate' })
      await add.click()
      const field = page.getByRole('textbox', { name: 'Certificate', exact: true })
      await add.click()
      await page.locator('[aria-invalid="true"]').nth(1).waitFor()
      await page
        .getByRole('form', { name: 'Add a certificate' })
        .getByRole('textbox', { name: 'Name', exact: true })
        .fill('Winter <b>2026</b>')
      await field.fill(`${key}${pem}`)
      await add.click()
      await page.getByText(/Must be one X\.509 certificate/).waitFor()
      t.same(await accessibilityViolations(page), [])
      t.same(await list(), [], 'a private key is not taken')

      await field.fill(pem)
      await add.click()
      const cards = page.getByRole('list', { name: 'Certificates' })
      await cards.getByText('Active').waitFor()
      const shown = await cards.innerText()
      for (const text of ['Winter <b>2026</b>', 'For connections (QWAC)', 'PSP_AI', 'Not yet']) {
        t.match(shown, text)
      }
      await cards.getByText('Subject, issuer and thumbprint').click()
      await cards.getByText(thumbprint).waitFor()

      await cards.getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove certificate' }).click()
      await page.getByText('No certificates yet').waitFor()
      t.same(await list(), [])
    })
  })

  await t.test('the button makes a pair; each file can be saved, and only then', async (t) => {
    await browser.visit(t, { portalUrl }, async ({ page }) => {
      await open(page)
      await page.getByLabel('Validity').selectOption('Revoked, to see the error')
      const make = page.getByRole('button', { name: 'Create test certificates' })
      await make.click()
      await page.getByText('Calls with these certificates fail').waitFor()
      t.same(await list(), [], 'one with a defect is not added')

      await page.getByLabel('Validity').selectOption('Valid for 90 days')
      await make.click()
      await page.getByText('Both certificates are added to this application').waitFor()
      const cards = page.getByRole('list', { name: 'Certificates' })
      await cards.getByText('For signing (QSealC)').waitFor()
      t.equal((await list()).length, 2)
      for (const [name, content] of [
        ['qwac.pem', 'CERTIFICATE'],
        ['qwac.key', 'PRIVATE KEY'],
        ['qseal.pem', 'CERTIFICATE'],
        ['qseal.key', 'PRIVATE KEY'],
        ['authority.pem', 'CERTIFICATE'],
      ] as const) {
        const saving = page.waitForEvent('download')
        await page.getByRole('link', { name, exact: true }).click()
        const saved = await saving
        t.equal(saved.suggestedFilename(), name)
        t.match(readFileSync(await saved.path(), 'utf8'), `-----BEGIN ${content}-----`)
      }
      t.same(await accessibilityViolations(page), [])
      await page.reload()
      await cards.getByText('For signing (QSealC)').waitFor()
      t.equal(await page.getByRole('link', { name: 'qwac.key' }).count(), 0)
      t.notMatch(await page.content(), 'PRIVATE KEY')
    })
  })
})
