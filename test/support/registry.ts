import type { Database } from '../../src/platform/database/database.ts'
import { openStores, type Stores } from '../../src/portal/stores/stores.ts'
import { parsePeppers } from '../../src/registry/keys/key-mac.ts'

export const testPeppers = parsePeppers('a-pepper-for-tests-and-nothing-else')

/** The stores of a registry with the default limits. */
export function testStores(
  database: Database,
  options: { now?: () => number } = {},
): Promise<Stores> {
  return openStores({
    database,
    peppers: testPeppers,
    keysPerApplication: 10,
    applicationsPerDeveloper: 10,
    ...options,
  })
}

let developers = 0

/** A developer with one application, both new. */
export async function testApplication(stores: Stores) {
  const developer = await stores.developers.create({
    email: `developer-${++developers}@example.com`,
    name: 'Dev',
    by: 'system',
  })
  const application = await stores.applications.create({
    developerId: developer.id,
    name: 'app',
    by: 'system',
  })
  return { developer, application }
}
