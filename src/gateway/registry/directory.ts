import { type Kysely, type RawBuilder, sql } from 'kysely'
import { comesAfter, type Page } from './page.ts'
import type { RegistrySchema } from './schema.ts'
import { isUuid } from './transaction.ts'

/** A developer as operators look them up. */
export interface ListedDeveloper {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly isOperator: boolean
  readonly createdAt: Date
  /** Null: waits for an operator's approval. */
  readonly approvedAt: Date | null
  readonly suspendedAt: Date | null
  /** How many there are. */
  readonly applications: number
}

/** An application as operators look it up. */
export interface ListedApplication {
  readonly id: string
  readonly name: string
  readonly developerId: string
  readonly developerEmail: string
  readonly createdAt: Date
  readonly suspendedAt: Date | null
  /** Whether the backend is told to take only signed calls of it. */
  readonly strict: boolean
}

/** A piece of what a text is found in; without a text, of everything. */
export interface Search extends Page {
  /** Part of a name or of an address in whatever case, or a whole id. Means itself: nothing in it is a pattern. */
  readonly search?: string | undefined
}

/** Who and what is registered, oldest first. */
export interface Directory {
  developers(search: Search): Promise<ListedDeveloper[]>
  developer(id: string): Promise<ListedDeveloper | undefined>
  /** Also found by the address of their developer. */
  applications(search: Search): Promise<ListedApplication[]>
  application(id: string): Promise<ListedApplication | undefined>
}

export function createDirectory({ db }: { db: Kysely<RegistrySchema> }): Directory {
  async function developers(where: RawBuilder<boolean>, limit: number): Promise<ListedDeveloper[]> {
    const { rows } = await sql<ListedDeveloper>`
      select id, email, name, is_operator as "isOperator", created_at as "createdAt",
        approved_at as "approvedAt", suspended_at as "suspendedAt",
        (select count(*) from applications a where a.developer_id = developers.id) as applications
      from developers
      where ${where}
      order by created_at, id
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
        created_at as "createdAt", suspended_at as "suspendedAt", strict
      from applications
      where ${where}
      order by created_at, id
      limit ${limit}`.execute(db)
    return rows
  }

  return {
    developers({ search = '', ...page }) {
      const found = sql<boolean>`(email ilike ${holding(search)} or name ilike ${holding(search)} or id::text = ${search})`
      return developers(sql`${found} and ${comesAfter('developers', page)}`, page.limit)
    },

    async developer(id) {
      return isUuid(id) ? (await developers(sql`id = ${id}`, 1))[0] : undefined
    },

    applications({ search = '', ...page }) {
      const owners = sql`select d.id from developers d where d.email ilike ${holding(search)}`
      const found = sql<boolean>`(name ilike ${holding(search)} or id::text = ${search} or developer_id in (${owners}))`
      return applications(sql`${found} and ${comesAfter('applications', page)}`, page.limit)
    },

    async application(id) {
      return isUuid(id) ? (await applications(sql`id = ${id}`, 1))[0] : undefined
    },
  }
}

/** The pattern of texts that hold this one. */
function holding(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
