import t from 'tap'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createServedDocument } from '../../src/portal/documents/served-document.ts'
import type { Test } from '../support/database.ts'
import { ownApis, ownDocument } from '../support/own-apis.ts'

/** Versions with documents of these sizes in MiB, and the function that makes the served ones. */
async function servedDocuments(t: Test, sizes: readonly number[]) {
  const files = sizes.map((size, at): [string, object] => [
    `a${at}/1.json`,
    ownDocument([`GET /a${at}`], { 'x-long': 'x'.repeat(size * 1024 * 1024) }),
  ])
  const catalogue = await loadCatalogue(ownApis(t, Object.fromEntries(files)))
  const served = createServedDocument({
    gatewayUrl: () => 'https://api.example.com',
    now: () => 0,
    hasDrills: () => false,
  })
  return { versions: [...catalogue.versions.values()], served }
}

t.test('of many documents, those used last are kept, and the others made again', async (t) => {
  const { versions, served } = await servedDocuments(t, [6, 6, 6])
  const [first, second, third] = versions.map((version) => served(version))
  const [again1, again2, again3] = versions.toReversed().map((version) => served(version))
  t.equal(again1, third)
  t.equal(again2, second)
  t.not(again3, first)
  t.same(again3, first)
})

t.test('a document larger than all that is kept is served', async (t) => {
  const { versions, served } = await servedDocuments(t, [17])
  for (const version of versions) {
    t.match(served(version).paths, { '/a0': { get: { operationId: 'get-a0' } } })
  }
})
