import { createHmac } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../schema.ts'
import type { RegistryTransaction } from '../transaction.ts'
import type { Peppers } from './key-mac.ts'

/** A pepper that stored keys or other processes need and this process does not have. */
export interface MissingPepper {
  readonly version: number
  /** Keys that still work and are stored under it. */
  readonly keys: number
  /** Whether KEY_PEPPER has the version, but with another secret than the first process that had it. */
  readonly isOther: boolean
}

/** Compares the peppers of the settings with those that the stored keys and other processes need. */
export interface KeyPeppers {
  /**
   * The peppers without which keys would be refused, now or later; usually none.
   * Then notes a fingerprint of each pepper that is new here: the first process
   * that has a version decides which secret it is. Notes the current version
   * too, for new keys of other processes.
   */
  findMissing(peppers: Peppers): Promise<MissingPepper[]>
  /** Deletes what was noted for a database without keys. */
  forget(): Promise<void>
}

/** New keys would be stored under a pepper that other processes do not have. The message says what to do. */
export class PepperUnfit extends Error {
  constructor(problem: string) {
    super(`KEY_PEPPER: ${problem}; use the KEY_PEPPER of the gateways and portals. No key was made`)
    this.name = 'PepperUnfit'
  }
}

export function createKeyPeppers({ db }: { db: Kysely<RegistrySchema> }): KeyPeppers {
  return {
    findMissing: (peppers) =>
      db
        .transaction()
        .execute(async (trx) => {
          const { rows: needed } = await sql<{ version: number; keys: number }>`
            select pepper_version as version, count(*)::int as keys from api_keys
            where coalesce(least(revoked_at, expires_at), 'infinity') > now()
            group by pepper_version`.execute(trx)
          const keysOf = new Map(needed.map(({ version, keys }) => [version, keys]))
          // Before it reads, so that of two processes that start at once, the second sees the first.
          await noteFingerprints(trx, peppers, [...peppers.secrets.keys()])
          const { fingerprints } = await readNoted(trx)
          const missing: MissingPepper[] = []
          for (const version of [...new Set([...keysOf.keys(), ...peppers.secrets.keys()])]) {
            const own = fingerprintOf(peppers, version)
            const isOther = own !== undefined && own !== fingerprints.get(version)
            if (own !== undefined && !isOther) continue
            missing.push({ version, keys: keysOf.get(version) ?? 0, isOther })
          }
          // Undoes the notes: the peppers of a process that does not serve decide nothing.
          if (missing.length > 0) throw new Refused(missing)
          await noteCurrent(trx, peppers.current)
          return missing
        })
        .catch((error: unknown) => {
          if (!(error instanceof Refused)) throw error
          return error.missing.toSorted((one, other) => one.version - other.version)
        }),

    async forget() {
      await db.deleteFrom('portal_state').where('name', 'like', `${prefix}%`).execute()
    },
  }
}

/**
 * The version for a new key: the newest that a process has had in front. A
 * process or a command with an older or a newer list has it too, or makes no key.
 *
 * @throws {PepperUnfit}
 */
export async function pepperForNewKey(trx: RegistryTransaction, peppers: Peppers): Promise<number> {
  const noted = await readNoted(trx)
  const version = noted.current ?? peppers.current
  const own = fingerprintOf(peppers, version)
  if (own === undefined) {
    throw new PepperUnfit(`new keys need version ${version}, which is missing here`)
  }
  let first = noted.fingerprints.get(version)
  if (first === undefined) {
    await noteFingerprints(trx, peppers, [version])
    first = (await readNoted(trx)).fingerprints.get(version)
  }
  if (first !== own) throw new PepperUnfit(`version ${version} is another secret here`)
  return version
}

class Refused extends Error {
  readonly missing: readonly MissingPepper[]

  constructor(missing: readonly MissingPepper[]) {
    super('peppers are missing')
    this.missing = missing
  }
}

const prefix = 'pepper-'
const current = `${prefix}current`

interface Noted {
  /** By version, of the first process that had it. */
  readonly fingerprints: ReadonlyMap<number, string>
  /** The newest version that a process has had in front. */
  readonly current: number | undefined
}

async function readNoted(trx: RegistryTransaction): Promise<Noted> {
  const rows = await trx
    .selectFrom('portal_state')
    .select(['name', 'value'])
    .where('name', 'like', `${prefix}%`)
    .execute()
  const fingerprints = new Map<number, string>()
  let newest: number | undefined
  for (const { name, value } of rows) {
    if (name === current) newest = Number(value)
    else fingerprints.set(Number(name.slice(prefix.length)), value)
  }
  return { fingerprints, current: newest }
}

/** In one order, so that two processes do not wait for each other. */
async function noteFingerprints(
  trx: RegistryTransaction,
  peppers: Peppers,
  versions: readonly number[],
): Promise<void> {
  const rows = versions
    .toSorted((one, other) => one - other)
    .map((version) => ({
      name: `${prefix}${version}`,
      value: fingerprintOf(peppers, version) ?? '',
    }))
  await trx
    .insertInto('portal_state')
    .values(rows)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

async function noteCurrent(trx: RegistryTransaction, version: number): Promise<void> {
  await trx
    .insertInto('portal_state')
    .values({ name: current, value: String(version) })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ value: String(version) })
        .where(sql<boolean>`portal_state.value::int < ${version}`),
    )
    .execute()
}

function fingerprintOf({ secrets }: Peppers, version: number): string | undefined {
  const secret = secrets.get(version)
  return secret === undefined ? undefined : fingerprintOfSecret(secret)
}

/** Distinguishes two secrets without revealing either: they have at least 32 characters. */
export function fingerprintOfSecret(secret: string): string {
  return createHmac('sha256', secret).update('fingerprint of a pepper').digest('base64url')
}
