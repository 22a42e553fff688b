import { createHmac } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Peppers } from './key-mac.ts'
import type { RegistrySchema } from './schema.ts'

/** A pepper that stored keys need and this process does not have. */
export interface MissingPepper {
  readonly version: number
  /** Keys that still work and are stored under it. */
  readonly keys: number
  /** Whether KEY_PEPPER has the version, but with another secret. */
  readonly isOther: boolean
}

/** Compares the peppers of the settings with those that the stored keys need. */
export interface KeyPeppers {
  /**
   * The peppers without which keys that work would be refused; usually none.
   * Notes a fingerprint of each pepper that is new here, so that the next start
   * recognises another secret under the same version.
   */
  findMissing(peppers: Peppers): Promise<MissingPepper[]>
}

export function createKeyPeppers({ db }: { db: Kysely<RegistrySchema> }): KeyPeppers {
  return {
    findMissing: (peppers) =>
      db.transaction().execute(async (trx) => {
        const { rows: needed } = await sql<{ version: number; keys: number }>`
          select pepper_version as version, count(*)::int as keys from api_keys
          where coalesce(least(revoked_at, expires_at), 'infinity') > now()
          group by pepper_version order by pepper_version`.execute(trx)
        const noted = await trx
          .selectFrom('portal_state')
          .select(['name', 'value'])
          .where('name', 'like', `${prefix}%`)
          .execute()
        const fingerprints = new Map(noted.map(({ name, value }) => [name, value]))
        const missing: MissingPepper[] = []
        for (const { version, keys } of needed) {
          const own = fingerprintOf(peppers, version)
          const known = fingerprints.get(nameOf(version))
          const isOther = own !== undefined && known !== undefined && known !== own
          if (own === undefined || isOther) missing.push({ version, keys, isOther })
        }
        if (missing.length === 0) {
          for (const version of peppers.secrets.keys()) {
            const value = fingerprintOf(peppers, version) ?? ''
            await trx
              .insertInto('portal_state')
              .values({ name: nameOf(version), value })
              .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
              .execute()
          }
        }
        return missing
      }),
  }
}

const prefix = 'pepper-'

function nameOf(version: number): string {
  return `${prefix}${version}`
}

function fingerprintOf({ secrets }: Peppers, version: number): string | undefined {
  const secret = secrets.get(version)
  return secret === undefined ? undefined : fingerprintOfSecret(secret)
}

/** Tells two secrets apart and reveals neither: they have at least 32 characters. */
export function fingerprintOfSecret(secret: string): string {
  return createHmac('sha256', secret).update('fingerprint of a pepper').digest('base64url')
}
