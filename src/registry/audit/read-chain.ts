import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../schema.ts'
import type { ChainRow } from './chain-check.ts'
import { exactTime } from './chain-rows.ts'

/** Links in one statement. */
const pageSize = 2_000

/**
 * Reads the chain in the order of its positions, a page in each statement: one
 * long transaction would stop an embedded database. The chain only grows
 * meanwhile, except by retention.
 *
 * @param after position of the last link that is not wanted
 */
export async function* readChain(
  db: Kysely<RegistrySchema>,
  { after }: { readonly after: number },
): AsyncGenerator<readonly ChainRow[]> {
  for (let last = after; ; ) {
    const rows = await selectLinks(db, last)
    const end = rows.at(-1)
    if (end === undefined) return
    yield rows.map(toChainRow)
    last = end.position
  }
}

type LinkRow = Awaited<ReturnType<typeof selectLinks>>[number]

function selectLinks(db: Kysely<RegistrySchema>, after: number) {
  return db
    .selectFrom('audit_links')
    .leftJoin('audit', 'audit.id', 'audit_links.entry_id')
    .leftJoin('audit_personal', 'audit_personal.entry_id', 'audit_links.entry_id')
    .select([
      'position',
      'audit_links.entry_id as entryId',
      'hash',
      'signature',
      'signer',
      'audit.id as id',
      'actor',
      'action',
      'subject',
      'detail',
      'request_id as requestId',
      'salt',
      'facts',
    ])
    .select(exactTime('audit.at').as('at'))
    .select(sql<string | null>`encode(personal_digest, 'hex')`.as('personalDigest'))
    .where('position', '>', after)
    .orderBy('position')
    .limit(pageSize)
    .execute()
}

function toChainRow(row: LinkRow): ChainRow {
  const { position, entryId, hash, signature, signer, salt, facts } = row
  const { id, at, actor, action, subject, detail, requestId, personalDigest } = row
  const isThere = id !== null && actor !== null && action !== null && subject !== null
  return {
    position,
    entryId,
    hash,
    signature,
    signer,
    entry: isThere
      ? { id, at, actor, action, subject, detail, requestId, personalDigest }
      : undefined,
    personal: salt === null ? undefined : { salt, facts },
  }
}
