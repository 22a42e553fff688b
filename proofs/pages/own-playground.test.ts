import t from 'tap'
import { chromiumMissing } from '../../test/support/browser.ts'
import { chooseOperation } from '../../test/support/choose-operation.ts'
import { longDocument } from '../../test/support/long-document.ts'
import { ownDocument } from '../../test/support/own-apis.ts'
import { startOwnPlayground } from '../../test/support/own-playground.ts'

const options = { skip: chromiumMissing(), timeout: 240_000 }

t.test('of 900 operations, only the chosen ones are asked for', options, async (t) => {
  const document = longDocument({ operations: 900, basePath: '/v1' })
  const { visit, urlOf, gatewayUrl } = await startOwnPlayground(t, document)
  await visit(t, async (page) => {
    const asked: string[] = []
    page.on('request', (request) => {
      const [, part] = /\/api\/apis\/own\/1\/(.*)$/.exec(request.url()) ?? []
      if (part !== undefined) asked.push(part)
    })
    await page.goto(urlOf('readResource7'))
    await page.getByText(`${gatewayUrl}/v1/resources7/`).first().waitFor()
    await chooseOperation(page, 'createResource7')
    await page.getByRole('textbox', { name: 'Body (application/json)' }).waitFor()
    t.same(asked, ['operations/readResource7', 'operations/createResource7'])
  })
})

t.test('Secrets and values of the path', options, async (t) => {
  const document = ownDocument(['GET /things', 'GET /others/{other-id}/parts/{part}.json'], {
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  })
  const { visit, urlOf, gatewayUrl } = await startOwnPlayground(t, document)

  await t.test('the next operation has the secret entered before, and none shows it', (t) =>
    visit(t, async (page) => {
      await page.goto(urlOf('get-things'))
      const field = page.getByRole('textbox', { name: /^Authorization/ })
      await field.fill('Bearer secret')
      t.equal(await field.getAttribute('type'), 'password')
      await chooseOperation(page, 'get-others')
      await page
        .getByText(/\/others\//)
        .first()
        .waitFor()
      t.equal(await field.inputValue(), 'Bearer secret')
    }),
  )

  await t.test('values of the path are asked for, although the document declares none', (t) =>
    visit(t, async (page) => {
      await page.goto(urlOf('get-others-other-id-parts-part-.json'))
      await page.getByRole('combobox', { name: /^other-id/ }).fill('a b')
      await page.getByRole('combobox', { name: /^part/ }).fill('7')
      await page.getByText(`${gatewayUrl}/v1/others/a%20b/parts/7.json`).first().waitFor()
    }),
  )
})
