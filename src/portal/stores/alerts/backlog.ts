import { type Kysely, sql } from 'kysely'
import type { PortalSchema } from '../schema.ts'

/** Items that wait to be sent. */
export interface Waiting {
  readonly count: number
  /** Age of the oldest item in seconds; 0 if none waits. */
  readonly oldestSeconds: number
}

/** The queues that all processes send from. */
export interface Backlog {
  readonly mails: Waiting
  readonly webhooks: Waiting
}

/** Reads the length and age of both queues, by the database's clock. */
export async function readBacklog(db: Kysely<PortalSchema>): Promise<Backlog> {
  const waiting = sql`jsonb_build_object('count', count(*),
    'oldestSeconds', coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0))`
  const { rows } = await sql<Backlog>`
    select (select ${waiting} from mails) as mails,
      (select ${waiting} from webhook_deliveries where due_at is not null) as webhooks`.execute(db)
  const [backlog] = rows
  if (backlog === undefined) throw new Error('a select without a table gives one row')
  return backlog
}
