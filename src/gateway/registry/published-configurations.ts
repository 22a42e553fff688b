import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import type { ApiVersion, Catalogue, Plan } from '../../catalogue/catalogue.ts'
import { frozenMap } from '../../catalogue/frozen-map.ts'
import { deepFreeze } from '../../catalogue/json.ts'
import type { RegistrySchema } from './schema.ts'

/** A configuration that gateways have published. */
export interface PublishedConfiguration {
  readonly versions: Catalogue['versions']
  readonly plans: Catalogue['plans']
  /** When a process last began to use it. */
  readonly publishedAt: Date
  /** Whether a gateway with it ran within the last three minutes. */
  readonly isRunning: boolean
  /** Whether a gateway with another one has run since. */
  readonly hasOthers: boolean
}

/** What the gateways publish, for commands that compare files with it. */
export interface PublishedConfigurations {
  /** Notes that a process begins to use a configuration. */
  published(configuration: NotedConfiguration): Promise<void>
  /** Notes that a process still uses it. */
  used(configuration: Pick<NotedConfiguration, 'digest'>): Promise<void>
  /** The one published last; undefined: no gateway has noted one that this release can read. */
  inForce(): Promise<PublishedConfiguration | undefined>
}

/** A configuration with what names and keeps it. */
export interface NotedConfiguration {
  readonly digest: string
  readonly json: string
}

/** Renewed each minute, so two missed renewals do no harm. */
const runningMinutes = 3
const keptDays = 30
/** The first member of the JSON; a release that reads another one takes it as unknown. */
const format = 1

/** Writes a catalogue as the store keeps it, without its brand. Costs some milliseconds. */
export function notedConfiguration({
  versions,
  plans,
}: Pick<Catalogue, 'versions' | 'plans'>): NotedConfiguration {
  const json = JSON.stringify({ format, versions: [...versions], plans: [...plans] })
  return { digest: createHash('sha256').update(json).digest('hex'), json }
}

export function createPublishedConfigurations({
  db,
}: {
  db: Kysely<RegistrySchema>
}): PublishedConfigurations {
  const now = sql<Date>`now()`
  return {
    async published({ digest, json }) {
      const { numUpdatedRows } = await db
        .updateTable('published_configurations')
        .set({ seen_at: now, published_at: now })
        .where('digest', '=', digest)
        .executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n) return
      const content = await promisify(gzip)(json)
      await db
        .insertInto('published_configurations')
        .values({ digest, content })
        .onConflict((conflict) =>
          conflict.column('digest').doUpdateSet({ seen_at: now, published_at: now }),
        )
        .execute()
      await db
        .deleteFrom('published_configurations')
        .where('seen_at', '<', sql<Date>`now() - make_interval(days => ${sql.lit(keptDays)})`)
        .execute()
    },

    async used({ digest }) {
      await db
        .updateTable('published_configurations')
        .set({ seen_at: now })
        .where('digest', '=', digest)
        .execute()
    },

    async inForce() {
      const newest = await db
        .selectFrom('published_configurations')
        .select([
          'digest',
          'content',
          'published_at as publishedAt',
          sql<boolean>`seen_at > now() - make_interval(mins => ${sql.lit(runningMinutes)})`.as(
            'isRunning',
          ),
        ])
        .orderBy('published_at', 'desc')
        .orderBy('digest')
        .limit(1)
        .executeTakeFirst()
      if (newest === undefined) return undefined
      const { digest, content, publishedAt, isRunning } = newest
      const other = await db
        .selectFrom('published_configurations')
        .select('digest')
        .where('digest', '!=', digest)
        .where('seen_at', '>', publishedAt)
        .limit(1)
        .executeTakeFirst()
      const catalogue = await readContent(content)
      if (catalogue === undefined) return undefined
      return { ...catalogue, publishedAt, isRunning, hasOthers: other !== undefined }
    },
  }
}

async function readContent(
  content: Buffer,
): Promise<Pick<Catalogue, 'versions' | 'plans'> | undefined> {
  const text = await promisify(gunzip)(content)
  // Another release may have written it; this one wrote what has its own format.
  const kept = JSON.parse(text.toString()) as Kept
  if (kept.format !== format) return undefined
  return {
    versions: frozenMap(deepFreeze(kept.versions)),
    plans: frozenMap(deepFreeze(kept.plans)),
  }
}

interface Kept {
  readonly format: number
  readonly versions: readonly (readonly [string, ApiVersion])[]
  readonly plans: readonly (readonly [string, Plan])[]
}
