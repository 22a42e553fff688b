import type { Kysely } from 'kysely'
import type { RegistrySchema } from '../schema.ts'
import {
  type ChainedEntry,
  type ChainPlace,
  type Checkpoint,
  chainFormat,
  chainStart,
  textOfCheckpoint,
} from './chain.ts'
import {
  type ChainRow,
  type ChainVerdict,
  createChainCheck,
  type ExpectedLink,
} from './chain-check.ts'
import { readCheckpoint, type Signed } from './chain-rows.ts'
import { readChain } from './read-chain.ts'
import { type AuditKeys, judgeSignature } from './signer.ts'

/** The first line of an export. Octets are hexadecimal, here and below. */
export interface ExportHead {
  readonly format: typeof chainFormat
  /** The place before the first link of the file. */
  readonly after: { readonly position: number; readonly hash: string }
  /** The checkpoint at that place; null at the start of a chain, or where only a part was asked for. */
  readonly checkpoint: {
    readonly entries: number
    readonly newestAt: string
    readonly signature: string
    readonly signer: string
  } | null
}

/** Every further line: a link with its entry. */
export interface ExportLine {
  readonly position: number
  readonly hash: string
  readonly signature?: string
  readonly signer?: string
  /** Null: the entry is missing. */
  readonly entry: ChainedEntry | null
  readonly personal?: { readonly salt: string; readonly facts: unknown }
}

export interface ExportAuditOptions {
  readonly db: Kysely<RegistrySchema>
  /** Position after which to begin; without it, everything. */
  readonly after?: number | undefined
  /** Whether addresses and browsers are part of the file. */
  readonly withPersonal: boolean
}

/** There is no link at the position after which an export should begin. */
export class ExportStartMissing extends Error {
  constructor(position: number) {
    super(`the audit log has no link ${position}: retention removed it, or it does not exist yet`)
    this.name = 'ExportStartMissing'
  }
}

/**
 * Writes the chain as JSON lines. The file can be verified without the database
 * ({@link verifyExport}).
 *
 * @throws {ExportStartMissing}
 */
export async function* exportAudit(options: ExportAuditOptions): AsyncGenerator<string> {
  const { db, withPersonal } = options
  const checkpoint = await readCheckpoint(db)
  const start = checkpoint ?? chainStart
  const place = await findStart(db, start, options.after)
  yield JSON.stringify(headOf(place, place === checkpoint ? checkpoint : undefined))
  for await (const rows of readChain(db, { after: place.position })) {
    for (const row of rows) yield JSON.stringify(lineOf(row, withPersonal))
  }
}

/** The file is not an export of this format. */
export class ExportInvalid extends Error {
  /** @param line from 1 */
  constructor(line: number, options?: ErrorOptions) {
    super(`line ${line} is not a line of an export of the audit log`, options)
    this.name = 'ExportInvalid'
  }
}

export interface VerifyExportOptions {
  readonly lines: AsyncIterable<string>
  readonly keys: AuditKeys
  readonly expected?: ExpectedLink | undefined
}

/** Verifies an export as {@link verifyAudit} verifies the database. @throws {ExportInvalid} */
export async function verifyExport({
  lines,
  keys,
  expected,
}: VerifyExportOptions): Promise<ChainVerdict> {
  let check: ReturnType<typeof createChainCheck> | undefined
  let isGenuine = true
  let number = 0
  for await (const line of lines) {
    number += 1
    try {
      if (check === undefined) {
        const head = parseHead(line)
        check = createChainCheck({ start: head.place, keys, expected })
        isGenuine = isGenuineStart(head, keys)
      } else check.take(parseLine(line))
    } catch (cause) {
      throw new ExportInvalid(number, { cause })
    }
  }
  if (check === undefined) throw new ExportInvalid(1)
  const verdict = check.finish()
  if (isGenuine) return verdict
  const position = verdict.end.position - verdict.links
  const fault = { kind: 'checkpoint-invalid', position, entryId: null } as const
  return { ...verdict, faults: [fault, ...verdict.faults] }
}

async function findStart(
  db: Kysely<RegistrySchema>,
  start: ChainPlace,
  after: number | undefined,
): Promise<ChainPlace> {
  if (after === undefined || after === start.position) return start
  const row = await db
    .selectFrom('audit_links')
    .select(['position', 'hash'])
    .where('position', '=', after)
    .executeTakeFirst()
  if (row === undefined) throw new ExportStartMissing(after)
  return row
}

function headOf(
  { position, hash }: ChainPlace,
  checkpoint: (Checkpoint & Signed) | undefined,
): ExportHead {
  return {
    format: chainFormat,
    after: { position, hash: hash.toString('hex') },
    checkpoint:
      checkpoint === undefined
        ? null
        : {
            entries: checkpoint.entries,
            newestAt: checkpoint.newestAt,
            signature: checkpoint.signature.toString('hex'),
            signer: checkpoint.signer,
          },
  }
}

function lineOf(row: ChainRow, withPersonal: boolean): ExportLine {
  const { position, hash, signature, signer, entry, personal } = row
  return {
    position,
    hash: hash.toString('hex'),
    ...(signature === null ? {} : { signature: signature.toString('hex') }),
    ...(signer === null ? {} : { signer }),
    entry: entry ?? null,
    ...(withPersonal && personal !== undefined
      ? { personal: { salt: personal.salt.toString('hex'), facts: personal.facts } }
      : {}),
  }
}

interface ParsedHead {
  readonly place: ChainPlace
  readonly checkpoint: (Checkpoint & Signed) | undefined
}

function parseHead(line: string): ParsedHead {
  // Parse boundary: the file may be anything. Wrong types fail in the lines below.
  const { format, after, checkpoint } = JSON.parse(line) as ExportHead
  if (format !== chainFormat || !Number.isSafeInteger(after.position)) {
    throw new Error('another format')
  }
  const place = { position: after.position, hash: octets(after.hash) }
  return {
    place,
    checkpoint:
      checkpoint === null
        ? undefined
        : { ...place, ...checkpoint, signature: octets(checkpoint.signature) },
  }
}

/** A part of a chain may begin anywhere: the signature of a later link covers the hash it begins with. */
function isGenuineStart({ place, checkpoint }: ParsedHead, keys: AuditKeys): boolean {
  if (checkpoint !== undefined) {
    return judgeSignature(keys, textOfCheckpoint(checkpoint), checkpoint) === 'valid'
  }
  return place.position > 0 || place.hash.equals(chainStart.hash)
}

function parseLine(line: string): ChainRow {
  // Parse boundary, as above.
  const { position, hash, signature, signer, entry, personal } = JSON.parse(line) as ExportLine
  if (!Number.isSafeInteger(position)) throw new Error('no position')
  return {
    position,
    entryId: entry?.id ?? 0,
    hash: octets(hash),
    signature: signature === undefined ? null : octets(signature),
    signer: signer ?? null,
    entry: entry ?? undefined,
    personal:
      personal === undefined ? undefined : { salt: octets(personal.salt), facts: personal.facts },
  }
}

function octets(hex: string): Buffer {
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) throw new Error('not hexadecimal')
  return Buffer.from(hex, 'hex')
}
