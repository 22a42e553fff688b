import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import type { Test } from '../../test/support/database.ts'
import { ownDocument } from '../../test/support/own-apis.ts'
import { configDir, sharedCatalogue } from '../../test/support/published-catalogue.ts'

/** APIs that are attacked beside the bank's: with paths that only rules for other people's documents allow. */
const documents = {
  // Text and parameter in one segment, text with a colon, and a prefix of two segments in place of the backend's path.
  'orders/4.0': ownDocument(
    [
      'GET /orders/{id}',
      'DELETE /orders/{id}',
      'POST /orders/{id}:cancel',
      'GET /orders/{id}:state',
      'GET /orders/latest',
      'GET /files/{name}.json',
      'GET /files/{name}',
      'GET /reports/daily:latest',
      'POST /both/of/orders',
    ],
    { servers: [{ url: '/api' }], 'x-tollgate': { prefix: '/open-banking/v4.0' } },
  ),
  // A prefix below that of the first, and a path beside one of the first.
  'nested/1.0': ownDocument(['GET /of/{kind}', 'POST /of/{kind}/entries'], {
    servers: [{ url: '/open-banking/v4.0/both' }],
  }),
}

/** The published catalogue with these APIs, all in the Default Plan, which admits 1,000,000 calls. */
export async function attackedCatalogue(t: Test): Promise<Catalogue> {
  const folder = mkdtempSync(join(tmpdir(), 'tg-attacked-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(configDir, folder, { recursive: true })
  for (const [name, document] of Object.entries(documents)) {
    mkdirSync(join(folder, 'apis', name, '..'), { recursive: true })
    writeFileSync(join(folder, 'apis', `${name}.json`), JSON.stringify(document))
  }
  const plan = join(folder, 'plans/default.yaml')
  const text = readFileSync(plan, 'utf8')
  const everything = text
    .replace("'xs2a@*'", "'xs2a@*', 'orders@*', 'nested@*'")
    .replace('calls: 100,', 'calls: 1000000,')
  writeFileSync(plan, everything)
  return sharedCatalogue(folder)
}
