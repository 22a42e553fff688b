import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isUuid } from '../../../platform/database/uuid.ts'
import type { Developer } from '../../../registry/applications/developer.ts'
import { idOf } from '../../../registry/keys/key-format.ts'
import { comesAfter, type Page } from '../../../registry/page.ts'
import type { PortalSchema } from '../schema.ts'

/** A developer in an operator's search. */
export interface ListedDeveloper extends Developer {
  /** Null while the developer waits for an operator's approval. */
  readonly approvedAt: Date | null
  /** Number of applications. */
  readonly applications: number
  /** Version of the terms that the developer accepted last, and when. */
  readonly acceptedTermsVersion: string | null
  readonly acceptedTermsAt: Date | null
}

/** An application in an operator's search. */
export interface ListedApplication {
  readonly id: string
  readonly name: string
  readonly developerId: string
  readonly developerEmail: string
  readonly createdAt: Date
  readonly suspendedAt: Date | null
  /** Whether the backend must accept only signed calls of this application. */
  readonly strict: boolean
  /** Origins to which its customers may be sent back. */
  readonly redirectOrigins: readonly string[]
}

/** A page of the matches for a text; without a text, of everything. */
export interface Search extends Page {
  /** Part of a name or an email address in any case, or the beginning of an id. Taken literally, without patterns. */
  readonly search?: string | undefined
}

/** Registered developers and applications, oldest first. */
export interface Directory {
  /** Developers that wait for an approval come first. */
  developers(search: Search): Promise<ListedDeveloper[]>
  developer(id: string): Promise<ListedDeveloper | undefined>
  /** Also matches the address of the application's developer, and a key or its beginning (`tg_` and 4 characters more). */
  applications(search: Search): Promise<ListedApplication[]>
  application(id: string): Promise<ListedApplication | undefined>
  /** Up to ten ids that begin with this text. */
  idsBeginning(kind: IdKind, prefix: string): Promise<string[]>
}

/** Entities that can be found by the beginning of their id. */
export type IdKind = 'key' | 'subscription' | 'override' | 'certificate'

const tableOf = {
  key: 'api_keys',
  subscription: 'subscriptions',
  override: 'limit_overrides',
  certificate: 'certificates',
} as const

export function createDirectory({ db }: { db: Kysely<PortalSchema> }): Directory {
  async function developers(where: RawBuilder<boolean>, limit: number): Promise<ListedDeveloper[]> {
    const { rows } = await sql<ListedDeveloper>`
      select id, email, name, is_operator as "isOperator", created_at as "createdAt",
        approved_at as "approvedAt", suspended_at as "suspendedAt",
        (select count(*) from applications a where a.developer_id = developers.id) as applications,
        terms.version as "acceptedTermsVersion", terms.accepted_at as "acceptedTermsAt"
      from developers
      left join lateral (
        select version, accepted_at from accepted_terms
        where developer_id = developers.id order by accepted_at desc limit 1
      ) terms on true
      where ${where}
      order by approved_at is not null, created_at, id
      limit ${limit}`.execute(db)
    return rows
  }

  async function applications(
    where: RawBuilder<boolean>,
    limit: number,
  ): Promise<ListedApplication[]> {
    const { rows } = await sql<ListedApplication>`
      select id, name, developer_id as "developerId",
        (select email from developers d where d.id = applications.developer_id) as "developerEmail",
        created_at as "createdAt", suspended_at as "suspendedAt", strict,
        redirect_origins as "redirectOrigins"
      from applications
      where ${where}
      order by created_at, id
      limit ${limit}`.execute(db)
    return rows
  }

  return {
    developers({ search = '', ...page }) {
      const found = sql<boolean>`(email ilike ${holding(search)} or name ilike ${holding(search)} or id::text like ${beginning(search)})`
      return developers(sql`${found} and ${comesAfterWaiting(page)}`, page.limit)
    },

    async developer(id) {
      return isUuid(id) ? (await developers(sql`id = ${id}`, 1))[0] : undefined
    },

    applications({ search = '', ...page }) {
      const owners = sql`select d.id from developers d where d.email ilike ${holding(search)}`
      const ofKey = sql`select k.application_id from api_keys k where k.id like ${beginning(keyIdIn(search))}`
      const found = sql<boolean>`(name ilike ${holding(search)} or id::text like ${beginning(search)} or developer_id in (${owners}) or id in (${ofKey}))`
      return applications(sql`${found} and ${comesAfter('applications', page)}`, page.limit)
    },

    async application(id) {
      return isUuid(id) ? (await applications(sql`id = ${id}`, 1))[0] : undefined
    },

    async idsBeginning(kind, prefix) {
      const { rows } = await sql<{ id: string }>`
        select id::text as id from ${sql.table(tableOf[kind])}
        where id::text like ${beginning(prefix)} order by id limit 10`.execute(db)
      return rows.map(({ id }) => id)
    },
  }
}

/** The same where waiting developers come first. @throws {RegistryInputInvalid} when `after` is not an id */
function comesAfterWaiting({ after, limit }: Page): RawBuilder<boolean> {
  // Refuses what is not an id.
  comesAfter('developers', { after, limit })
  if (after === undefined) return sql<boolean>`true`
  return sql<boolean>`(approved_at is not null, created_at, id) > (
    select approved_at is not null, created_at, id from developers where id = ${after})`
}

/** The id of a key in a text that begins like one; otherwise an empty text, which no key has. */
function keyIdIn(text: string): string {
  return /^tg_[0-9A-Za-z]{4}/.test(text) ? idOf(text) : ''
}

/** The pattern for texts that contain this one. */
function holding(text: string): string {
  return `%${literal(text)}%`
}

/**
 * The pattern for ids that begin with this text. Fewer than four characters
 * match nothing, because they would match too many.
 */
function beginning(text: string): string {
  return text.length < 4 ? literal(text) : `${literal(text)}%`
}

function literal(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
