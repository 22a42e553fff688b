import { type Kysely, sql } from 'kysely'
import type { Logger } from '../../platform/log/log.ts'
import type { RegistrySchema } from '../schema.ts'
import type { ParsedKey } from './key-format.ts'
import { keyMac, type Peppers } from './key-mac.ts'

/**
 * Stores keys under the current pepper when they are used: only then is the
 * whole key known, which its new MAC needs. A key never moves back to an older
 * pepper, because a process may still have the old list of peppers.
 */
export interface PepperUpgrades {
  /** Notes a key that was verified under an older pepper. Computes its MAC; writes it later. */
  note(key: ParsedKey): void
  /** Writes the pending notes and stops. */
  close(): Promise<void>
}

export interface PepperUpgradesOptions {
  readonly db: Kysely<RegistrySchema>
  readonly peppers: Peppers
  readonly log: Pick<Logger, 'warn'>
  /** (Default: 10,000) */
  readonly intervalMs?: number
}

/** Maximum number of pending notes; further keys are noted at their next look-up. */
const notesMax = 10_000

/** A failed write is not repeated: the next look-up of a key notes it again. */
export function createPepperUpgrades({
  db,
  peppers,
  log,
  intervalMs = 10_000,
}: PepperUpgradesOptions): PepperUpgrades {
  /** The new MAC of each key, in hexadecimal, with the version of its pepper, by the key's id. */
  let notes = new Map<string, { readonly mac: string; readonly version: number }>()
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    if (notes.size === 0) return
    const ids = [...notes.keys()]
    const macs = [...notes.values()].map(({ mac }) => mac)
    const versions = [...notes.values()].map(({ version }) => version)
    notes = new Map()
    try {
      await sql`
        update api_keys k set mac = decode(made.mac, 'hex'), pepper_version = made.version
        from unnest(${ids}::text[], ${macs}::text[], ${versions}::int[]) as made(id, mac, version)
        where k.id = made.id and k.pepper_version < made.version`.execute(db)
    } catch (error) {
      log.warn({ err: error, keys: ids.length }, 'keys stay under an older pepper')
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  const timer = setInterval(() => void flush(), intervalMs).unref()

  return {
    note(key) {
      if (notes.size >= notesMax || notes.has(key.id)) return
      const version = peppers.current
      const mac = keyMac(peppers, version, key.text)
      if (mac !== undefined) notes.set(key.id, { mac: mac.toString('hex'), version })
    },
    close() {
      clearInterval(timer)
      return flush()
    },
  }
}
