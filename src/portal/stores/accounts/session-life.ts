import { sql } from 'kysely'

/** How long a session lasts without a request. These three need the developer's row beside the session's. */
export const idle = sql`case when developers.is_operator then interval '1 hour' else interval '8 hours' end`
/** How long it lasts at most. */
export const longest = sql`case when developers.is_operator then interval '12 hours' else interval '7 days' end`
/** Whether it lasts. */
export const isLive = sql<boolean>`(
  sessions.expires_at > now()
  and sessions.created_at > now() - ${longest}
  and sessions.seen_at > now() - ${idle}
  and developers.suspended_at is null
  and (sessions.factor is not null or not developers.is_operator))`
