// This folder makes the audit tamper-evident; docs/audit.md describes the chain for auditors. This file defines the
// hashes: everything else computes or compares them. `sealer.ts` links entries that transactions have written,
// `signer.ts` has the key, `chain-check.ts` judges a chain row by row, `verify-audit.ts` feeds it from the database
// and `export-audit.ts` writes it out. `prune-audit.ts` removes the oldest part and leaves a checkpoint. Writers of
// entries (`./audit.ts`) never wait for the chain.

import { createHash } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'

/** Name of the format; part of every hash and signature. */
export const chainFormat = 'tollgate-audit-1'

/** The hashed part of an entry. Ids only, no personal data. */
export interface ChainedEntry {
  readonly id: number
  /** UTC with microseconds, as the database has them: `2026-11-23T14:03:07.123456Z`. */
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detail: unknown
  readonly requestId: string | null
  /** Hexadecimal; {@link digestOfPersonal}. */
  readonly personalDigest: string | null
}

/** A place in the chain. */
export interface ChainPlace {
  /** 0 before the first link. */
  readonly position: number
  /** 32 octets. */
  readonly hash: Buffer
}

/** Where every chain begins: position 0, SHA-256 of the format's name. */
export const chainStart: ChainPlace = {
  position: 0,
  hash: createHash('sha256').update(chainFormat).digest(),
}

/**
 * The hash of the link at `position`: SHA-256 over the 32 octets of the link
 * before it, followed by the canonical JSON of the entry with its position.
 */
export function hashOfLink(before: Buffer, position: number, entry: ChainedEntry): Buffer {
  const { id, at, actor, action, subject, detail, requestId, personalDigest } = entry
  const text = canonicalJson({
    position,
    id,
    at,
    actor,
    action,
    subject,
    detail,
    requestId,
    personalDigest,
  })
  return createHash('sha256').update(before).update(text).digest()
}

/**
 * SHA-256 over the 16 random octets of the salt, followed by the canonical JSON
 * of the facts. The salt prevents an attacker from testing guesses of an erased fact against its digest.
 */
export function digestOfPersonal(salt: Buffer, facts: unknown): Buffer {
  return createHash('sha256').update(salt).update(canonicalJson(facts)).digest()
}

/** The text that a link's signature covers. The hash covers all earlier links. */
export function textOfLink({ position, hash }: ChainPlace): Buffer {
  return Buffer.from(`${chainFormat}\nlink\n${position}\n${hash.toString('hex')}\n`)
}

/** The place up to which retention removed the chain. */
export interface Checkpoint extends ChainPlace {
  /** Number of entries removed by this retention. */
  readonly entries: number
  /** Time of the newest of these entries, as in {@link ChainedEntry}. */
  readonly newestAt: string
}

/**
 * The text that a checkpoint's signature covers. Differs from the text of a link, so that an attacker who can delete rows
 * cannot present a link's signature as a checkpoint.
 */
export function textOfCheckpoint({ position, hash, entries, newestAt }: Checkpoint): Buffer {
  const lines = [chainFormat, 'checkpoint', position, hash.toString('hex'), entries, newestAt, '']
  return Buffer.from(lines.join('\n'))
}
