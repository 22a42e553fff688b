import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import t from 'tap'
import { generateKey } from '../../src/registry/keys/key-format.ts'
import { openRegistry } from '../../src/registry/open-registry.ts'
import type { Authentication } from '../../src/registry/registry.ts'
import { testEmbedded, testPostgres } from '../../test/support/database.ts'
import { testApplication, testPeppers, testStores } from '../../test/support/registry.ts'
import { figure } from '../figure.ts'

const log = pino({ level: 'silent' })

// As many as even a busy machine looks up within the second that a lookup may take.
for (const [name, open, forged] of [
  ['embedded', testEmbedded, 300],
  ['PostgreSQL', testPostgres, 1_000],
] as const) {
  t.test(
    `${name}: ${forged} forged keys at once do not keep five valid ones from being recognised`,
    async (t) => {
      const { database } = await open(t)
      const stores = await testStores(database)
      const { application } = await testApplication(stores)
      const issued = await Promise.all(
        Array.from({ length: 5 }, (_, nth) =>
          stores.keys.issue({ applicationId: application.id, name: `key ${nth}`, by: 'system' }),
        ),
      )
      const registry = await openRegistry({
        database,
        log,
        peppers: testPeppers,
        keysPerApplication: 10,
        applicationsPerDeveloper: 10,
      })
      t.teardown(() => registry.close())
      const ask = (key: string) =>
        new Promise<Authentication>((resolve) => registry.authenticate(key, resolve))

      const presented = Array.from({ length: forged }, () => generateKey(randomBytes).text)
      // First, last and in between: the place in the flood must not matter.
      for (const [nth, { key }] of issued.entries())
        presented.splice((nth * forged) / 4 + nth, 0, key)
      const outcomes = new Map<string, Authentication>()
      const begun = performance.now()
      await Promise.all(
        presented.map(async (key) => {
          outcomes.set(key, await ask(key))
        }),
      )
      figure(`${Math.round(performance.now() - begun)} ms`)
      for (const { id, key } of issued) t.match(outcomes.get(key), { keyId: id })
      for (const { key } of issued) outcomes.delete(key)
      t.same(
        [...new Set(outcomes.values())],
        ['invalid'],
        'and each forged one is distinguished from an outage',
      )
    },
  )
}
