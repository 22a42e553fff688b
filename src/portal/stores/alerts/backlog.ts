import { type Kysely, sql } from 'kysely'
import type { PortalSchema } from '../schema.ts'

/** What waits to be sent. */
export interface Waiting {
  readonly count: number
  /** Seconds since the oldest was written; 0 if nothing waits. */
  readonly oldestSeconds: number
}

/** What waits to be sent by whichever process. */
export interface Backlog {
  readonly mails: Waiting
  readonly webhooks: Waiting
}

/** Reads what waits. All times are by the database's clock. */
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
