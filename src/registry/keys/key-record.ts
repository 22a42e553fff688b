import { type Kysely, type RawBuilder, sql } from 'kysely'
import { versionKey } from '../../catalogue/catalogue.ts'
import type { CallsOverride } from '../../catalogue/effective-limits.ts'
import { blockedSince } from '../certificates/blocked-since.ts'
import type { Caller } from '../registry.ts'
import type { RegistrySchema } from '../schema.ts'

/** All data needed to recognise a key and its caller. */
export interface KeyRecord {
  readonly mac: Buffer
  readonly pepperVersion: number
  /** Milliseconds since 1970; Infinity: never. */
  readonly expiresAt: number
  readonly caller: Caller
}

/**
 * Looks keys up by their public ids, in one statement. The result contains
 * neither unknown nor revoked keys.
 */
export type FindKeyRecords = (ids: readonly string[]) => Promise<ReadonlyMap<string, KeyRecord>>

export function createFindKeyRecords({ db }: { db: Kysely<RegistrySchema> }): FindKeyRecords {
  return (ids) => find(db, sql`k.id = any(${ids}) and k.revoked_at is null`)
}

/** The same for revoked keys only, to explain to their owner why they are refused. */
export function createFindRevokedKeys({ db }: { db: Kysely<RegistrySchema> }): FindKeyRecords {
  return (ids) => find(db, sql`k.id = any(${ids}) and k.revoked_at is not null`)
}

async function find(
  db: Kysely<RegistrySchema>,
  which: RawBuilder<unknown>,
): Promise<ReadonlyMap<string, KeyRecord>> {
  const { rows } = await sql<KeyRow>`
      select k.id, k.mac, k.pepper_version, k.expires_at,
        a.id as application_id, a.name as application_name, d.id as developer_id,
        a.suspended_at is not null or d.suspended_at is not null as is_suspended,
        a.strict as is_strict, a.redirect_origins, k.allowed_addresses,
        coalesce(
          (select jsonb_agg(jsonb_build_array(c.use, c.thumbprint, c.id) order by c.created_at, c.id)
           from certificates c
           where c.application_id = a.id
           -- The gateway itself judges end and block of TLS certificates: without the expired one, a stolen key alone would
           -- work. Those of seals reach the bank only in this way.
             and (c.use = 'tls' or (c.valid_until > now() and ${blockedSince('c')} is null))),
          '[]'
        ) as certificates,
        coalesce(
          (select jsonb_agg(jsonb_build_array(s.api, s.version, s.plan))
           from subscriptions s where s.application_id = a.id and s.ended_at is null),
          '[]'
        ) as plans,
        coalesce(
          (select jsonb_agg(jsonb_build_array(o.api, o.version, o.limit_name, o.calls,
             extract(epoch from o.expires_at) * 1000))
           from limit_overrides o where o.application_id = a.id and o.ended_at is null),
          '[]'
        ) as overrides
      from api_keys k
      join applications a on a.id = k.application_id
      join developers d on d.id = a.developer_id
      where ${which}`.execute(db)
  return new Map(rows.map((row) => [row.id, toRecord(row)]))
}

interface KeyRow {
  readonly id: string
  readonly mac: Buffer
  readonly pepper_version: number
  readonly expires_at: Date | null
  readonly application_id: string
  readonly application_name: string
  readonly developer_id: string
  readonly is_suspended: boolean
  readonly is_strict: boolean
  readonly redirect_origins: readonly string[]
  readonly certificates: readonly (readonly [use: string, thumbprint: string, id: string])[]
  readonly allowed_addresses: readonly string[]
  readonly plans: readonly (readonly [api: string, version: string, plan: string])[]
  readonly overrides: readonly OverrideRow[]
}

type OverrideRow = readonly [
  api: string,
  version: string,
  limit: string,
  calls: number,
  expiresAtMs: number,
]

function toRecord(row: KeyRow): KeyRecord {
  return {
    mac: row.mac,
    pepperVersion: row.pepper_version,
    expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    caller: Object.freeze({
      applicationId: row.application_id,
      applicationName: row.application_name,
      developerId: row.developer_id,
      keyId: row.id,
      isSuspended: row.is_suspended,
      isStrict: row.is_strict,
      certificates: row.certificates.length === 0 ? noCertificates : forTls(row.certificates),
      seals: row.certificates.flatMap(([use, thumbprint]) =>
        use === 'signing' ? [thumbprint] : [],
      ),
      redirectOrigins: row.redirect_origins,
      allowedAddresses: row.allowed_addresses,
      plans: new Map(row.plans.map(([api, version, plan]) => [versionKey(api, version), plan])),
      overrides: row.overrides.length === 0 ? noOverrides : byVersion(row.overrides),
    }),
  }
}

/** Shared, because most callers have no certificates. */
const noCertificates: Caller['certificates'] = new Map()

function forTls(rows: KeyRow['certificates']): Caller['certificates'] {
  return new Map(rows.flatMap(([use, thumbprint, id]) => (use === 'tls' ? [[thumbprint, id]] : [])))
}

/** Shared, because nearly every caller has no overrides. */
const noOverrides: Caller['overrides'] = new Map()

/** Expired overrides stay in: each use compares them with the clock. */
function byVersion(rows: readonly OverrideRow[]): Caller['overrides'] {
  const found = new Map<string, CallsOverride[]>()
  for (const [api, version, limit, calls, expiresAtMs] of rows) {
    const key = versionKey(api, version)
    const override = { limit, calls, expiresAt: new Date(expiresAtMs) }
    found.set(key, [...(found.get(key) ?? []), override])
  }
  return found
}
