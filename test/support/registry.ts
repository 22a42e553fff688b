import { parsePeppers } from '../../src/registry/keys/key-mac.ts'
import { openRegistryStores, type RegistryStores } from '../../src/registry/stores.ts'
import type { Database } from '../../src/platform/database/database.ts'

export const testPeppers = parsePeppers('a-pepper-for-tests-and-nothing-else')

/** The stores of a registry with the default limits. */
export function testStores(
  database: Database,
  options: { now?: () => number } = {},
): Promise<RegistryStores> {
  return openRegistryStores({
    database,
    peppers: testPeppers,
    keysPerApplication: 10,
    applicationsPerDeveloper: 10,
    ...options,
  })
}

let developers = 0

/** A developer with one application, both new. */
export async function testApplication(stores: RegistryStores) {
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
