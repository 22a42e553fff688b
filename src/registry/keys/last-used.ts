import { type Kysely, sql } from 'kysely'
import type { Logger } from '../../platform/log/log.ts'
import type { RegistrySchema } from '../schema.ts'

/** Records when keys or certificates were last used. */
export interface LastUsed {
  /** Notes a use, in milliseconds since 1970. Takes almost no time and writes later. */
  note(id: string, at: number): void
  /** Writes the pending notes and stops. */
  close(): Promise<void>
}

export interface LastUsedOptions {
  readonly db: Kysely<RegistrySchema>
  readonly of: keyof typeof idTypes
  readonly log: Pick<Logger, 'warn'>
  /** (Default: 10,000) */
  readonly intervalMs?: number
}

/** The tables with such a record, and the types of their ids. */
const idTypes = { api_keys: 'text', certificates: 'uuid' } as const

/** Maximum number of pending notes; further uses in one interval are not recorded. */
const notesMax = 100_000
const rowsPerStatement = 500

/**
 * Collects uses and writes them periodically, off the data path. A failed write
 * is not repeated, because its data is only informative.
 */
export function createLastUsed({ db, of, log, intervalMs = 10_000 }: LastUsedOptions): LastUsed {
  let notes = new Map<string, number>()
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    const rows = [...notes]
    notes = new Map()
    try {
      for (let start = 0; start < rows.length; start += rowsPerStatement) {
        await writeRows(db, of, rows.slice(start, start + rowsPerStatement))
      }
    } catch (error) {
      log.warn({ err: error, table: of, rows: rows.length }, 'last use not written')
    }
  }

  function flush(): Promise<void> {
    writing ??= write().finally(() => {
      writing = undefined
    })
    return writing
  }

  const timer = setInterval(() => {
    if (notes.size > 0) void flush()
  }, intervalMs).unref()

  return {
    note(id, at) {
      if (notes.size < notesMax) notes.set(id, at)
    },
    async close() {
      clearInterval(timer)
      await writing
      if (notes.size > 0) await flush()
    },
  }
}

async function writeRows(
  db: Kysely<RegistrySchema>,
  of: keyof typeof idTypes,
  rows: readonly (readonly [id: string, at: number])[],
): Promise<void> {
  const ids = rows.map(([id]) => id)
  const times = rows.map(([, at]) => new Date(at).toISOString())
  // Skips rows that another process is writing: it writes the same minute.
  await sql`
    update ${sql.table(of)} k set last_used_at = used.at
    from (
      select stored.id, u.at
      from unnest(${ids}::${sql.raw(idTypes[of])}[], ${times}::timestamptz[]) as u(id, at)
      join ${sql.table(of)} stored on stored.id = u.id
      where stored.last_used_at is null or stored.last_used_at < u.at
      for update of stored skip locked
    ) used
    where k.id = used.id`.execute(db)
}
