import { sql } from 'kysely'
import { bucketName } from '../../src/gateway/counters/bucket.ts'
import type { BucketWindow } from '../../src/gateway/counters/counter.ts'
import { createEvents } from '../../src/portal/alerts/events.ts'
import { createLimitAlerts } from '../../src/portal/alerts/limit-alerts.ts'
import { sealSecret } from '../../src/portal/alerts/webhook-secret.ts'
import { newWebhookSecret } from '../../src/portal/alerts/webhook-signature.ts'
import type { Letter } from '../../src/portal/mail/letters.ts'
import type { Outbox } from '../../src/portal/mail/outbox.ts'
import { queueMail } from '../../src/portal/stores/mail/mail-queue.ts'
import type { PortalSchema } from '../../src/portal/stores/schema.ts'
import type { TestDatabase } from '../support/database.ts'
import { testKeyring } from '../support/keyring.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'
import { testApplication, testStores } from '../support/registry.ts'

const catalogue = await publishedCatalogue()
const limit = firstLimit()
/** Seals the secrets of webhooks. */
const webhookKey = testKeyring(7)
const actor = 'test'

function firstLimit() {
  const [first] = catalogue.plans.get('default')?.limits ?? []
  if (first === undefined) throw new Error('the default plan has no limit')
  return first
}

/**
 * Two portals that look for limits to report, on an empty registry, with a
 * counter that the test sets and a clock that it moves.
 */
export async function alertsRig({ database }: TestDatabase) {
  // Ahead of the database's own clock, whose keys would otherwise expire one day.
  const clock = { ms: Date.parse('2099-11-20T10:30:00Z') }
  const now = () => clock.ms
  const stores = await testStores(database, { now })
  const db = database.connect<PortalSchema>()
  await sql`truncate developers, mails, portal_state, changes cascade`.execute(db)
  const outbox: Outbox = {
    post: (trx, letter, to) => queueMail(trx, Buffer.from(JSON.stringify({ letter, to }))),
  }
  const events = createEvents({ onPost: () => undefined })
  const counts = new Map<string, number>()
  const counter = {
    peeked: 0,
    async peek(buckets: readonly BucketWindow[]) {
      counter.peeked += buckets.length
      return buckets.map(({ bucket }) => ({
        bucket,
        count: counts.get(bucket) ?? 0,
        window: Math.floor(clock.ms / 3_600_000),
        resetMs: 3_600_000 - (clock.ms % 3_600_000),
      }))
    },
  }
  const options = { db, catalogue: () => catalogue, counter, outbox, events, now, turnSeconds: 0 }
  const portals = [1, 2].map(() => createLimitAlerts(options))

  /** Runs both portals at once, and again: the first run in an empty registry only creates the cursor of the job. */
  async function look(): Promise<void> {
    await Promise.all(portals.map((job) => job.run()))
    await Promise.all(portals.map((job) => job.run()))
  }

  /** Sets how many calls an application has made to an operation in this window, the last one in this minute. */
  async function use(applicationId: string, operation: string, calls: number): Promise<void> {
    const of = { api: 'xs2a', version: '1.7.0', id: operation }
    counts.set(bucketName(applicationId, of, limit), calls)
    await sql`
      insert into usage_minutes (application_id, at, api, version, operation, admitted, refused, refused_by_limit,
        errors, duration_ms_sum, duration_ms_max)
      values (${applicationId}, date_trunc('minute', ${new Date(clock.ms)}::timestamptz), 'xs2a', '1.7.0',
        ${operation}, 1, 0, 0, 0, 1, 1)
      on conflict do nothing`.execute(db)
  }

  /** An application with its developer, subscribed to xs2a 1.7.0 under the default plan. */
  async function subscribed() {
    const { developer, application } = await testApplication(stores)
    const version = { api: 'xs2a', version: '1.7.0', plan: 'default' }
    await stores.subscriptions.add({ applicationId: application.id, ...version, by: actor })
    return { developer, id: application.id }
  }

  /** Sets the webhook of an application. */
  function hook(
    applicationId: string,
    url = 'https://receiver.example/hook',
    secret = newWebhookSecret(),
  ) {
    const sealedSecret = sealSecret(webhookKey, applicationId, secret)
    return stores.alerts.setWebhook({ applicationId, url, sealedSecret, by: actor })
  }

  /** The emails that wait, the oldest first. */
  async function letters(): Promise<{ letter: Letter & { alerts?: object[] }; to: string }[]> {
    const rows = await db.selectFrom('mails').select('sealed').orderBy('id').execute()
    return rows.map(({ sealed }) => JSON.parse(sealed.toString()))
  }

  /** The bodies of an application's events for its webhook, the oldest first. */
  async function eventsOf(applicationId: string) {
    const rows = await db
      .selectFrom('webhook_deliveries')
      .select('body')
      .where('application_id', '=', applicationId)
      .orderBy('created_at')
      .execute()
    return rows.map(({ body }) => JSON.parse(body))
  }

  return {
    catalogue,
    limit,
    webhookKey,
    stores,
    db,
    clock,
    now,
    outbox,
    events,
    counter,
    look,
    use,
    subscribed,
    hook,
    letters,
    eventsOf,
  }
}
