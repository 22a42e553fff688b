import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../schema.ts'
import { chainStart, textOfCheckpoint } from './chain.ts'
import {
  type AuditFault,
  type ChainVerdict,
  createChainCheck,
  type ExpectedLink,
} from './chain-check.ts'
import { readCheckpoint } from './chain-rows.ts'
import { readChain } from './read-chain.ts'
import { type AuditKeys, judgeSignature } from './signer.ts'

/** What a verification found. */
export interface AuditReport extends ChainVerdict {
  /** Position of the newest checkpoint of retention; 0 when nothing was ever removed. */
  readonly removedTo: number
  /** Entries that wait for their link, which they get within a second while a gateway or portal runs. */
  readonly waiting: number
}

export interface VerifyAuditOptions {
  readonly db: Kysely<RegistrySchema>
  readonly keys: AuditKeys
  /** With a hash, it may be older than the newest checkpoint only if it is that checkpoint. */
  readonly expected?: ExpectedLink | undefined
}

/** Retention removed a part of the chain during the verification. */
export class AuditMoved extends Error {
  constructor() {
    super('retention removed entries meanwhile; verify again')
    this.name = 'AuditMoved'
  }
}

/**
 * Compares every entry of the audit with the chain, and the chain with its
 * signatures. Reads everything once; writers go on.
 *
 * @throws {AuditMoved}
 */
export async function verifyAudit({
  db,
  keys,
  expected,
}: VerifyAuditOptions): Promise<AuditReport> {
  const checkpoint = await readCheckpoint(db)
  const start = checkpoint ?? chainStart
  const check = createChainCheck({ start, keys, expected })
  for await (const rows of readChain(db, { after: start.position })) {
    for (const row of rows) check.take(row)
  }
  const verdict = check.finish()
  // Retention always leaves a link after its checkpoint.
  const lostEnd: AuditFault[] =
    checkpoint !== undefined && verdict.links === 0
      ? [{ kind: 'missing-link', position: start.position + 1, entryId: null }]
      : []
  const { faults, waiting } = await findStrays(db, start.position)
  if ((await readCheckpoint(db))?.position !== checkpoint?.position) throw new AuditMoved()
  const isGenuine =
    checkpoint === undefined ||
    judgeSignature(keys, textOfCheckpoint(checkpoint), checkpoint) === 'valid'
  const checkpointFaults: AuditFault[] = isGenuine
    ? []
    : [{ kind: 'checkpoint-invalid', position: start.position, entryId: null }]
  return {
    ...verdict,
    faults: [...checkpointFaults, ...verdict.faults, ...lostEnd, ...faults],
    removedTo: start.position,
    waiting,
  }
}

/** Entries in one statement: each takes a fraction of a second. */
const entriesAtOnce = 100_000

/** The id of the last entry of a page; pages hold entries, not ids, since ids may leave wide gaps. */
async function lastOfPage(db: Kysely<RegistrySchema>, after: number): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`
    select max(id) as last
    from (select id from audit where id > ${after} order by id limit ${entriesAtOnce}) page`.execute(
    db,
  )
  return rows[0]?.last ?? null
}

/** Entries that are neither linked nor waiting, ids that wait without their entry, and links below the checkpoint. */
async function findStrays(db: Kysely<RegistrySchema>, removedTo: number) {
  const faults: AuditFault[] = []
  // Below the checkpoint there is nothing: such a link was put there.
  const below = await db
    .selectFrom('audit_links')
    .select(['position', 'entry_id'])
    .where('position', '<=', removedTo)
    .orderBy('position')
    .execute()
  for (const { position, entry_id: entryId } of below) {
    faults.push({ kind: 'changed', position, entryId })
  }
  for (let after = -1; ; ) {
    const last = await lastOfPage(db, after)
    if (last === null) break
    // One statement, so one snapshot: an entry that is sealed in the meantime is not a fault.
    const { rows } = await sql<{ id: number }>`
      select a.id from audit a
      where a.id > ${after} and a.id <= ${last}
        and not exists (select from audit_links l where l.entry_id = a.id)
        and not exists (select from audit_waiting w where w.entry_id = a.id)
      order by a.id`.execute(db)
    for (const { id } of rows) faults.push({ kind: 'unlinked', position: null, entryId: id })
    after = last
  }
  const waiting = await db
    .selectFrom('audit_waiting')
    .leftJoin('audit', 'audit.id', 'audit_waiting.entry_id')
    .select(['entry_id as entryId', 'audit.id'])
    .orderBy('entry_id')
    .execute()
  for (const { entryId, id } of waiting) {
    if (id === null) faults.push({ kind: 'lost-while-waiting', position: null, entryId })
  }
  return { faults, waiting: waiting.filter(({ id }) => id !== null).length }
}
