import { type Kysely, sql } from 'kysely'
import { violates } from '../../platform/database/database.ts'
import type { RegistrySchema } from '../schema.ts'
import type { RegistryTransaction } from '../transaction.ts'
import { recordAudit } from './audit.ts'
import { type ChainedEntry, type ChainPlace, chainStart, hashOfLink, textOfLink } from './chain.ts'
import {
  exactTime,
  type Head,
  readCheckpoint,
  readHead,
  readStart,
  tryLockChain,
} from './chain-rows.ts'
import { type AuditKey, type AuditSigner, judgeSignature } from './signer.ts'

/** An entry that has just become a link. */
export interface SealedEntry {
  readonly position: number
  /** Hexadecimal. */
  readonly hash: string
  readonly entry: ChainedEntry
  /** Address and browser, where they were recorded. */
  readonly personal: Readonly<Record<string, string>>
}

/** Gives entries of the audit their place in the chain, after their transactions have committed. */
export interface AuditSealer {
  /**
   * Links every entry that waits, in batches of one transaction each, and signs
   * the last link of each batch. Calls `sealed` after each commit. If another
   * process is sealing, leaves the rest to it. The first time, checks the
   * signature of the last link even if nothing waits. Resolves to the position
   * of the last link that this process knows.
   *
   * @throws {AuditBroken} the chain does not end as Tollgate left it; nothing was linked
   */
  seal(sealed?: (entries: readonly SealedEntry[]) => void): Promise<number>
  /**
   * Continues a chain whose end is not as Tollgate left it, and leaves an entry
   * that says so: after a restored backup or a lost pepper.
   */
  resume(input: { readonly by: string; readonly reason: string }): Promise<void>
}

/** The chain does not end as Tollgate left it. */
export class AuditBroken extends Error {
  constructor(what: string) {
    super(`the audit log was changed outside Tollgate: ${what}`)
    this.name = 'AuditBroken'
  }
}

export interface AuditSealerOptions {
  readonly db: Kysely<RegistrySchema>
  readonly signer: AuditSigner
}

/** Entries in one transaction: some 10 ms of work. */
const batchMax = 500

export function createAuditSealer({ db, signer }: AuditSealerOptions): AuditSealer {
  /** The last link that this process knows to be good. */
  let known: ChainPlace | undefined
  /** Id of the own key at the last seal. */
  let sealedAs: string | undefined

  /** @throws {AuditBroken} */
  async function checkEnd(trx: RegistryTransaction, head: Head | undefined): Promise<void> {
    if (known !== undefined && known.position > 0) {
      const { position, hash } = known
      const now = await hashAt(trx, position)
      if (now?.equals(hash)) return
      if (now !== undefined) throw new AuditBroken(`link ${position} has another hash`)
      const checkpoint = await readCheckpoint(trx)
      if ((checkpoint?.position ?? 0) < position) {
        throw new AuditBroken(`link ${position} is missing`)
      }
    }
    if (head === undefined) return
    const { position, signature, signer: by } = head
    if (signature === null || by === null) {
      throw new AuditBroken(`the last link, ${position}, has no signature`)
    }
    const state = judgeSignature(signer.publicKeys, textOfLink(head), { signature, signer: by })
    if (state === 'invalid') {
      throw new AuditBroken(`the signature of the last link, ${position}, is wrong`)
    }
    if (state === 'unknown-key') {
      throw new AuditBroken(`the last link, ${position}, is signed by an unknown key, ${by}`)
    }
  }

  /** While the pepper is replaced: the new key vouches for the chain before the old one goes. */
  async function noteChangedKey(
    trx: RegistryTransaction,
    head: Head | undefined,
    key: AuditKey,
  ): Promise<void> {
    if (head === undefined || head.signer === null || head.signer === key.id) return
    // A process that has not got the new pepper yet must not vouch the other way.
    if (!signer.publicKeys.has(head.signer)) return
    const detail = { from: head.signer, to: key.id }
    const subject = `audit:${head.position}`
    await recordAudit(trx, { actor: 'system', action: 'audit.change-key', subject, detail })
  }

  /** Undefined: another process is sealing. */
  async function sealBatch(
    trusts: boolean,
  ): Promise<{ end: ChainPlace; sealed: SealedEntry[] } | undefined> {
    return db.transaction().execute(async (trx) => {
      if (!(await tryLockChain(trx))) return undefined
      const head = await readHead(trx)
      // Never the key of an older pepper: else processes of before and after would take turns.
      const key = signer.after(head?.signer ?? null)
      if (!trusts) {
        await checkEnd(trx, head)
        await noteChangedKey(trx, head, key)
      }
      let place: ChainPlace = head ?? (await readStart(trx))
      const sealed: SealedEntry[] = []
      for (const { personal, ...entry } of await takeWaiting(trx)) {
        const position = place.position + 1
        place = { position, hash: hashOfLink(place.hash, position, entry) }
        sealed.push({ position, hash: place.hash.toString('hex'), entry, personal: personal ?? {} })
      }
      if (sealed.length > 0) await insertLinks(trx, sealed, key)
      return { end: place, sealed }
    })
  }

  async function seal(
    sealed: (entries: readonly SealedEntry[]) => void,
    trusts: boolean,
  ): Promise<void> {
    for (;;) {
      // Without a transaction: usually nothing waits. At first, the end is checked even so.
      const { rows } = await sql`select from audit_waiting limit 1`.execute(db)
      if (rows.length === 0 && known !== undefined && sealedAs === signer.id) return
      sealedAs = signer.id
      const batch = await sealBatch(trusts).catch((error: unknown) => {
        // Another process was faster, without a lock: an embedded database has none.
        if (violates(error, 'audit_links_pkey') || violates(error, 'audit_links_entry')) return
        throw error
      })
      if (batch === undefined) return
      known = batch.end
      if (batch.sealed.length > 0) sealed(batch.sealed)
    }
  }

  return {
    async seal(sealed = () => undefined) {
      await seal(sealed, false)
      return known?.position ?? 0
    },

    async resume({ by, reason }) {
      await db.transaction().execute(async (trx) => {
        const { position, hash } = (await readHead(trx)) ?? chainStart
        const detail = { reason, hash: hash.toString('hex') }
        await recordAudit(trx, {
          actor: by,
          action: 'audit.resume',
          subject: `audit:${position}`,
          detail,
        })
      })
      await seal(() => undefined, true)
    },
  }
}

/**
 * Takes the oldest waiting entries, in the order of their ids. An entry that
 * disappeared while it waited leaves an entry that says so.
 */
async function takeWaiting(trx: RegistryTransaction) {
  const taken = await sql<{ entry_id: number }>`
    delete from audit_waiting where entry_id = any(array(
      select entry_id from audit_waiting order by entry_id limit ${batchMax}
    )) returning entry_id`.execute(trx)
  const ids = taken.rows.map((row) => row.entry_id)
  if (ids.length === 0) return []
  const entries = await trx
    .selectFrom('audit')
    .leftJoin('audit_personal', 'audit_personal.entry_id', 'audit.id')
    .select(['id', 'actor', 'action', 'subject', 'detail', 'request_id as requestId'])
    .select(exactTime('audit.at').as('at'))
    .select(sql<string | null>`encode(personal_digest, 'hex')`.as('personalDigest'))
    .select('audit_personal.facts as personal')
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  const found = new Set(entries.map(({ id }) => id))
  for (const id of ids) {
    if (found.has(id)) continue
    const subject = `audit:${id}`
    await recordAudit(trx, { actor: 'system', action: 'audit.lose-entry', subject })
  }
  return entries
}

async function insertLinks(
  trx: RegistryTransaction,
  sealed: readonly SealedEntry[],
  key: AuditKey,
): Promise<void> {
  const links = sealed.map(({ position, hash, entry }, index) => {
    const link = { position, hash: Buffer.from(hash, 'hex') }
    const isLast = index === sealed.length - 1
    return {
      ...link,
      entry_id: entry.id,
      signature: isLast ? key.sign(textOfLink(link)) : null,
      signer: isLast ? key.id : null,
    }
  })
  await trx.insertInto('audit_links').values(links).execute()
}

async function hashAt(trx: RegistryTransaction, position: number): Promise<Buffer | undefined> {
  const row = await trx
    .selectFrom('audit_links')
    .select('hash')
    .where('position', '=', position)
    .executeTakeFirst()
  return row?.hash
}
