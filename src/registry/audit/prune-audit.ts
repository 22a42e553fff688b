import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../schema.ts'
import { recordAudit } from './audit.ts'
import { type Checkpoint, textOfCheckpoint } from './chain.ts'
import { readStart, tryLockChain } from './chain-rows.ts'
import type { AuditSigner } from './signer.ts'
import { verifyAudit } from './verify-audit.ts'

/** The audit has faults; removing entries would remove the evidence. */
export class AuditFaulty extends Error {
  constructor(faults: number) {
    super(
      `nothing was removed: the audit log has ${faults} ${faults === 1 ? 'fault' : 'faults'}; run tollgate audit verify`,
    )
    this.name = 'AuditFaulty'
  }
}

/** Another process has kept the chain for longer than a portion waits. */
export class AuditBusy extends Error {
  constructor() {
    super('another process is working on the chain; try again')
    this.name = 'AuditBusy'
  }
}

export interface PruneAuditOptions {
  readonly db: Kysely<RegistrySchema>
  readonly signer: AuditSigner
  /** Entries before this moment go. */
  readonly before: Date
  /** The actor in the audit. */
  readonly by: string
}

/** Entries of one transaction, so that none holds its locks for long. */
const entriesPerPortion = 5_000
const pauseMs = 50
/** How long a portion waits for a process that extends the chain. */
const busyMs = 10_000

/**
 * Removes the oldest part of the audit, up to the first entry that is not older
 * than `before`, and leaves a signed checkpoint with which the rest can still
 * be verified. The last link always stays. Works in batches: after a failure
 * those that are done stay done, and the next run continues. The first portion
 * leaves an entry in the audit for the whole run. Needs a role that may delete.
 *
 * @returns the last checkpoint, with all entries removed now; undefined when
 * there was nothing to remove
 * @throws {AuditFaulty} | {AuditBusy}
 */
export async function pruneAudit(options: PruneAuditOptions): Promise<Checkpoint | undefined> {
  const { db, signer, before } = options
  const { faults } = await verifyAudit({ db, keys: signer.publicKeys })
  if (faults.length > 0) throw new AuditFaulty(faults.length)
  // The first link that stays: its entry is young enough, or it is the last one.
  const { rows } = await sql<{ first: number | null }>`
    select coalesce(
      (select min(l.position) from audit_links l join audit a on a.id = l.entry_id where a.at >= ${before}),
      (select max(position) from audit_links)
    ) as first`.execute(db)
  const last = (rows[0]?.first ?? 1) - 1
  let made: Checkpoint | undefined
  for (;;) {
    const checkpoint = await prunePortionInTurn(options, { last, isFirst: made === undefined })
    if (checkpoint === undefined) return made
    made = { ...checkpoint, entries: checkpoint.entries + (made?.entries ?? 0) }
    if (checkpoint.position >= last) return made
    await delay(pauseMs)
  }
}

interface Portion {
  /** The position up to which the run removes. */
  readonly last: number
  readonly isFirst: boolean
}

/** @throws {AuditBusy} when another process keeps the chain for long */
async function prunePortionInTurn(
  options: PruneAuditOptions,
  portion: Portion,
): Promise<Checkpoint | undefined> {
  const deadline = performance.now() + busyMs
  for (;;) {
    try {
      return await prunePortion(options, portion)
    } catch (error) {
      if (!(error instanceof AuditBusy) || performance.now() > deadline) throw error
    }
    await delay(pauseMs)
  }
}

/** Removes at most a portion. */
function prunePortion(
  { db, signer, before, by }: PruneAuditOptions,
  { last, isFirst }: Portion,
): Promise<Checkpoint | undefined> {
  return db.transaction().execute(async (trx) => {
    if (!(await tryLockChain(trx))) throw new AuditBusy()
    const start = await readStart(trx)
    const position = Math.min(last, start.position + entriesPerPortion)
    if (position <= start.position) return undefined
    const removed = trx
      .selectFrom('audit_links')
      .innerJoin('audit', 'audit.id', 'audit_links.entry_id')
      .where('position', '<=', position)
    const { newestAt } = await removed
      .select(
        sql<string>`to_char(max(audit.at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as(
          'newestAt',
        ),
      )
      .executeTakeFirstOrThrow()
    const { hash } = await trx
      .selectFrom('audit_links')
      .select('hash')
      .where('position', '=', position)
      .executeTakeFirstOrThrow()
    const checkpoint = { position, hash, entries: position - start.position, newestAt }
    const { newestAt: _, ...row } = checkpoint
    await trx
      .insertInto('audit_checkpoints')
      .values({
        ...row,
        newest_at: sql<Date>`${newestAt}::timestamptz`,
        signature: signer.sign(textOfCheckpoint(checkpoint)),
        signer: signer.id,
      })
      .execute()
    await sql`
      delete from audit_personal p using audit_links l
      where l.entry_id = p.entry_id and l.position <= ${position}`.execute(trx)
    await sql`
      delete from audit a using audit_links l
      where l.entry_id = a.id and l.position <= ${position}`.execute(trx)
    await trx.deleteFrom('audit_links').where('position', '<=', position).execute()
    if (isFirst) {
      await recordAudit(trx, {
        actor: by,
        action: 'audit.prune',
        subject: `audit:${last}`,
        detail: { entries: String(last - start.position), before: before.toISOString() },
      })
    }
    return checkpoint
  })
}
