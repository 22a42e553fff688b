import { sql } from 'kysely'
import t from 'tap'
import { lockApplication } from '../../src/registry/applications/applications.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { postgresMissing, testPostgres } from '../support/database.ts'
import { testApplication, testStores } from '../support/registry.ts'
import { until } from '../support/until.ts'

const by = 'operator:test'

t.test(
  'a change of what an application has and the deletion of the application do not wait for each other in a circle',
  { skip: postgresMissing() },
  async (t) => {
    const { database } = await testPostgres(t)
    const stores = await testStores(database)
    const db = database.connect<RegistrySchema>()
    const { keys, overrides, subscriptions } = stores
    const version = { api: 'xs2a', version: '1.7.0' }

    /** Prepares a change of something that an application has. */
    const changes: Record<string, (applicationId: string) => Promise<() => Promise<unknown>>> = {
      'revoke a key': async (applicationId) => {
        const { id } = await keys.issue({ applicationId, by })
        return () => keys.revoke({ id, by })
      },
      'rotate a key': async (applicationId) => {
        const { id } = await keys.issue({ applicationId, by })
        return () => keys.rotate({ id, overlapSeconds: 60, by })
      },
      'end a subscription': async (applicationId) => {
        const subscription = { applicationId, ...version, plan: 'default', by }
        const { id } = await subscriptions.add(subscription)
        return () => subscriptions.end({ id, by })
      },
      'end an override': async (applicationId) => {
        const { id } = await overrides.create({
          applicationId,
          ...version,
          limit: 'default',
          calls: 200,
          reason: 'a migration',
          expiresAt: new Date(Date.now() + 3_600_000),
          by,
        })
        return () => overrides.end({ applicationId, id, by })
      },
    }
    for (const [name, prepare] of Object.entries(changes)) {
      const { application } = await testApplication(stores)
      const change = await prepare(application.id)
      const deletion = await db.startTransaction().execute()
      await lockApplication(deletion, application.id)
      let isOver = false
      const outcome = change()
        .then(
          () => 'done',
          (error: Error) => error.name,
        )
        .finally(() => {
          isOver = true
        })
      await until('the change is over or waits', async () => isOver || (await isWaiting()))
      await deletion.deleteFrom('applications').where('id', '=', application.id).execute()
      await deletion.commit().execute()
      t.match(await outcome, /^(done|RegistryNotFound)$/, name)
    }

    async function isWaiting(): Promise<boolean> {
      const { rows } = await sql`
        select from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`.execute(db)
      return rows.length > 0
    }
  },
)
