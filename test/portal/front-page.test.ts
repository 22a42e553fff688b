import t from 'tap'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createFrontPages } from '../../src/portal/documents/front-page.ts'
import { ownApis, ownDocument } from '../support/own-apis.ts'

t.test('the first page makes the document of no version that names no sample', async (t) => {
  const catalogue = await loadCatalogue(
    ownApis(t, { 'a/1.json': ownDocument(['GET /a']), 'b/1.json': ownDocument(['GET /b']) }),
  )
  const made: string[] = []
  const { known } = createFrontPages({
    catalogue: () => catalogue,
    gatewayUrl: () => 'https://api.example.com',
    now: () => 0,
    sandbox: undefined,
    servedDocument: ({ api, document }) => {
      made.push(api)
      return document.read()
    },
  })
  t.equal(known().sample, null)
  t.same(made, [])
})
