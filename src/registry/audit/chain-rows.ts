import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../schema.ts'
import { type ChainPlace, type Checkpoint, chainStart } from './chain.ts'

/** A signed statement in a row. */
export interface Signed {
  /** 64 octets. */
  readonly signature: Buffer
  readonly signer: string
}

/** The newest link; its signature is null only if another program wrote it. */
export interface Head extends ChainPlace {
  readonly signature: Buffer | null
  readonly signer: string | null
}

/** As {@link ChainedEntry} has it; PostgreSQL would otherwise round or convert it. */
export const exactTime = (column: string) =>
  sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The newest link; undefined before the first one. */
export function readHead(db: Kysely<RegistrySchema>): Promise<Head | undefined> {
  return db
    .selectFrom('audit_links')
    .select(['position', 'hash', 'signature', 'signer'])
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The newest checkpoint of retention; undefined when nothing was ever removed. */
export function readCheckpoint(
  db: Kysely<RegistrySchema>,
): Promise<(Checkpoint & Signed) | undefined> {
  return db
    .selectFrom('audit_checkpoints')
    .select(['position', 'hash', 'entries', 'signature', 'signer'])
    .select(exactTime('newest_at').as('newestAt'))
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Where the rows of the chain begin: after the newest checkpoint, or at the start. */
export async function readStart(db: Kysely<RegistrySchema>): Promise<ChainPlace> {
  return (await readCheckpoint(db)) ?? chainStart
}

/**
 * Lets only one transaction extend or shorten the chain at a time. The keys of
 * the table enforce the same; this saves them the work.
 *
 * @returns whether this transaction has the lock until it ends
 */
export async function tryLockChain(trx: Kysely<RegistrySchema>): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(${chainLock}::bigint) as "isLocked"`.execute(trx)
  return rows[0]?.isLocked === true
}

/** Any number that no other part of Tollgate locks. */
const chainLock = 7_065_341
