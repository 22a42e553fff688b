import {
  type ChainedEntry,
  type ChainPlace,
  digestOfPersonal,
  hashOfLink,
  textOfLink,
} from './chain.ts'
import { type AuditKeys, judgeSignature } from './signer.ts'

/** What is wrong, and where. */
export interface AuditFault {
  /**
   * - `changed`: the entry, its place or the link before it is not what was linked
   * - `missing-entry`, `missing-link`: removed
   * - `unlinked`: an entry that never got a link, and does not wait for one
   * - `lost-while-waiting`: an entry waits for its link but is not there
   * - `personal-changed`: address or browser are not what was recorded
   * - `signature-invalid`, `unsigned-end`, `unknown-signer`: a signature is wrong, or the end of the chain proves nothing
   * - `checkpoint-invalid`: what retention left is not genuine
   * - `not-as-expected`: the chain lacks a link that it once had
   */
  readonly kind:
    | 'changed'
    | 'missing-entry'
    | 'missing-link'
    | 'unlinked'
    | 'lost-while-waiting'
    | 'personal-changed'
    | 'signature-invalid'
    | 'unsigned-end'
    | 'unknown-signer'
    | 'checkpoint-invalid'
    | 'not-as-expected'
  /** Position in the chain; null without one. */
  readonly position: number | null
  /** The last position, where the fault covers more than one. */
  readonly toPosition?: number
  /** Id of the entry; null if it is not known. */
  readonly entryId: number | null
}

/** A link with its entry, from the database or from an export. */
export interface ChainRow {
  readonly position: number
  readonly entryId: number
  readonly hash: Buffer
  readonly signature: Buffer | null
  readonly signer: string | null
  /** Undefined: it is missing. */
  readonly entry: ChainedEntry | undefined
  /** Undefined: there is nothing, it was erased, or it was not exported. */
  readonly personal: { readonly salt: Buffer; readonly facts: unknown } | undefined
}

/** Judges the rows of a chain one by one, in the order of their positions. */
export interface ChainCheck {
  take(row: ChainRow): void
  /** After the last row. */
  finish(): ChainVerdict
}

export interface ChainVerdict {
  /** Number of links. */
  readonly links: number
  /** The last link. */
  readonly end: ChainPlace
  /** Position up to which a valid signature covers the chain; 0 if none does. */
  readonly signedTo: number
  readonly faults: readonly AuditFault[]
}

/** A link that the chain had once, for example from the log. */
export interface ExpectedLink {
  readonly position: number
  /** Undefined: only its position is known, so a chain that has grown beyond it again passes. */
  readonly hash?: Buffer | undefined
}

export interface ChainCheckOptions {
  /** The place before the first row. */
  readonly start: ChainPlace
  readonly keys: AuditKeys
  readonly expected?: ExpectedLink | undefined
}

/**
 * Creates the check. After a wrong link it continues with the stored hash, so
 * each change is named and does not hide the next one. If an attacker also
 * computed a new hash for a changed entry, the link after it is named.
 */
export function createChainCheck({ start, keys, expected }: ChainCheckOptions): ChainCheck {
  const faults: AuditFault[] = []
  let before = start
  let links = 0
  let signedTo = 0
  let lastSigner: { readonly row: ChainRow; readonly isKnown: boolean } | undefined
  let hasExpected = expected === undefined || isLink(start, expected)

  function fault(kind: AuditFault['kind'], position: number, entryId: number | null): void {
    faults.push({ kind, position, entryId })
  }

  function checkSignature(row: ChainRow): void {
    const { position, entryId, signature, signer } = row
    if (signature === null || signer === null) return
    const state = judgeSignature(keys, textOfLink(row), { signature, signer })
    lastSigner = { row, isKnown: state !== 'unknown-key' }
    if (state === 'invalid') fault('signature-invalid', position, entryId)
    if (state === 'valid') signedTo = position
  }

  return {
    take(row) {
      const { position, entryId, hash, entry, personal } = row
      const next = before.position + 1
      const isNext = position === next
      // One fault however wide the gap is: a single link at a far position must not fill the memory.
      if (position === next + 1) fault('missing-link', next, null)
      else if (position > next) {
        faults.push({
          kind: 'missing-link',
          position: next,
          toPosition: position - 1,
          entryId: null,
        })
      }
      if (entry === undefined) fault('missing-entry', position, entryId)
      else if (
        entry.id !== entryId ||
        (isNext && !hashOfLink(before.hash, position, entry).equals(hash))
      ) {
        fault('changed', position, entryId)
      }
      if (entry !== undefined && personal !== undefined) {
        const digest = digestOfPersonal(personal.salt, personal.facts).toString('hex')
        if (digest !== entry.personalDigest) fault('personal-changed', position, entryId)
      }
      checkSignature(row)
      before = { position, hash }
      links += 1
      if (expected !== undefined && isLink(before, expected)) hasExpected = true
    },

    finish() {
      const { position } = before
      if (links > 0 && lastSigner?.row.position !== position) fault('unsigned-end', position, null)
      if (lastSigner?.isKnown === false) fault('unknown-signer', lastSigner.row.position, null)
      if (!hasExpected && expected !== undefined) fault('not-as-expected', expected.position, null)
      return { links, end: before, signedTo, faults }
    },
  }
}

/** Whether a place of the chain is the expected link or, if only a position is expected, is not before it. */
function isLink(place: ChainPlace, { position, hash }: ExpectedLink): boolean {
  return hash === undefined
    ? place.position >= position
    : place.position === position && place.hash.equals(hash)
}
