import { type Kysely, sql } from 'kysely'
import type { PortalSchema } from '../schema.ts'

/** A person or thing of the audit log, by the name it has now. */
export interface NamedParty {
  readonly name: string
  /** Email address of a person or of an application's developer; null for others. */
  readonly email: string | null
}

/** Finds the names of what audit entries mention only by id. */
export interface PartyNames {
  /**
   * @param parties `developer:<id>`, `staff:<id>`, `application:<id>`, `key:<id>`, `certificate:<id>` …
   * @returns by party; what was deleted or has no name is missing
   */
  find(parties: readonly string[]): Promise<ReadonlyMap<string, NamedParty>>
}

export function createPartyNames({ db }: { db: Kysely<PortalSchema> }): PartyNames {
  return {
    async find(parties) {
      const wanted = [...new Set(parties)]
      const idsOf = (kind: string) =>
        wanted.filter((party) => party.startsWith(`${kind}:`)).map((p) => p.slice(kind.length + 1))
      const { rows } = await sql<NamedParty & { readonly party: string }>`
        select 'developer:' || id as party, name, email from developers
          where id::text = any(${idsOf('developer')}::text[])
        union all
        select 'staff:' || s.id, coalesce(d.name, s.name), coalesce(d.email, s.email)
          from staff s left join developers d on d.id = s.developer_id
          where s.id::text = any(${idsOf('staff')}::text[])
        union all
        select 'application:' || a.id, a.name, d.email
          from applications a join developers d on d.id = a.developer_id
          where a.id::text = any(${idsOf('application')}::text[])
        union all
        select 'key:' || id, name, null from api_keys
          where id = any(${idsOf('key')}::text[])
        union all
        select 'certificate:' || id, name, null from certificates
          where id::text = any(${idsOf('certificate')}::text[])`.execute(db)
      return new Map(rows.map(({ party, ...named }) => [party, named]))
    },
  }
}
