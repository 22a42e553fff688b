import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip, createGzip, gunzip } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import type { ApiVersion, Catalogue, KeptDocument, Plan } from '../../catalogue/catalogue.ts'
import { keptJson } from '../../catalogue/documents/kept-document.ts'
import { frozenMap } from '../../catalogue/frozen-map.ts'
import { deepFreeze } from '../../catalogue/json.ts'
import type { RegistrySchema } from '../schema.ts'

/** A configuration that gateways have published. */
export interface PublishedConfiguration {
  readonly digest: string
  readonly versions: Catalogue['versions']
  readonly plans: Catalogue['plans']
  /** When a process last began to use it. */
  readonly publishedAt: Date
  /** Whether a gateway with it ran within the last three minutes. */
  readonly isRunning: boolean
}

/** What gateways use, or used last. */
export interface ConfigurationsInUse {
  /** The one published last comes first. */
  readonly readable: readonly PublishedConfiguration[]
  /** Digests of those that only another release can read. */
  readonly unreadable: readonly string[]
}

/** What the gateways publish, for commands that compare files with it. */
export interface PublishedConfigurations {
  /** Notes that a process begins to use a configuration. */
  published(catalogue: NotedCatalogue): Promise<void>
  /** Notes that a process still uses it. */
  used(catalogue: Pick<NotedCatalogue, 'digest'>): Promise<void>
  /**
   * The one published last, whether or not a gateway runs, and each other one
   * with which a gateway ran within the last three minutes.
   */
  inUse(): Promise<ConfigurationsInUse>
}

/** A catalogue as far as the store keeps it: without its brand. */
export type NotedCatalogue = Pick<Catalogue, 'digest' | 'versions' | 'plans'>

/** Renewed each minute, so two missed renewals have no effect. */
const runningMinutes = 3
const keptDays = 30
/**
 * The first member of the first line; a release that expects another value treats it as unknown. A new shape needs a new
 * number.
 */
const format = 4

/** Compresses one document at a time: a string of all would hold up calls, and may be longer than strings can be. */
function contentOf(catalogue: NotedCatalogue): Promise<Buffer> {
  return pipeline(Readable.from(linesOf(catalogue)), createGzip(), buffer)
}

/** Lines of JSON: a {@link Kept}, and the document of each of its versions. */
function* linesOf({ versions, plans }: NotedCatalogue): Generator<string | Buffer> {
  const kept: Kept = {
    format,
    plans: [...plans],
    versions: [...versions].map(([key, { document, ...version }]) => [
      key,
      { ...version, head: document.head },
    ]),
  }
  yield JSON.stringify(kept)
  for (const { document } of versions.values()) {
    yield '\n'
    yield document.json()
  }
}

export function createPublishedConfigurations({
  db,
}: {
  db: Kysely<RegistrySchema>
}): PublishedConfigurations {
  const now = sql<Date>`now()`
  return {
    async published(catalogue) {
      const { digest } = catalogue
      const content = await contentOf(catalogue)
      await db
        .insertInto('published_configurations')
        // Another release may have written the same files in another format.
        .values({ digest, content })
        .onConflict((conflict) =>
          conflict.column('digest').doUpdateSet({ content, seen_at: now, published_at: now }),
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

    async inUse() {
      // What was seen before the newest was published has been replaced, unless a process still reports it.
      const { rows } = await sql<Row>`
        with newest as (
          select digest, published_at from published_configurations
          order by published_at desc, digest limit 1
        ), recently as (
          select now() - make_interval(mins => ${sql.lit(runningMinutes)}) as began
        )
        select known.digest, known.content, known.published_at as "publishedAt",
          known.seen_at > began as "isRunning"
        from published_configurations known, newest, recently
        where known.digest = newest.digest
          or known.seen_at > began and (
            known.seen_at > newest.published_at
            or exists (select from processes where digest = known.digest and seen_at > began)
          )
        order by known.published_at desc, known.digest`.execute(db)
      const read = await Promise.all(
        rows.map(async ({ digest, content, publishedAt, isRunning }) => {
          const catalogue = await readContent(content)
          return { digest, found: catalogue && { ...catalogue, digest, publishedAt, isRunning } }
        }),
      )
      return {
        readable: read.flatMap(({ found }) => found ?? []),
        unreadable: read.flatMap(({ digest, found }) => (found === undefined ? digest : [])),
      }
    },
  }
}

interface Row {
  readonly digest: string
  readonly content: Buffer
  readonly publishedAt: Date
  readonly isRunning: boolean
}

/**
 * When versions were published for the last time that gateways published before
 * and that no running one publishes, in milliseconds since 1970, by `api version`.
 * Empty while no gateway runs, or one whose configuration this release cannot read.
 */
export async function readWithdrawn(
  db: Pick<Kysely<RegistrySchema>, 'selectFrom'>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('published_configurations')
    .select([
      'content',
      'seen_at as seenAt',
      sql<boolean>`seen_at > now() - make_interval(mins => ${sql.lit(runningMinutes)})`.as(
        'isRunning',
      ),
    ])
    .orderBy('seen_at')
    .execute()
  const last = new Map<string, { at: number; isRunning: boolean }>()
  let isAnyRunning = false
  for (const { content, seenAt, isRunning } of rows) {
    const kept = keptIn(await firstLine(content))
    if (kept === undefined && isRunning) return new Map()
    isAnyRunning ||= isRunning
    for (const [, { api, version }] of kept?.versions ?? []) {
      last.set(`${api} ${version}`, { at: seenAt.getTime(), isRunning })
    }
  }
  if (!isAnyRunning) return new Map()
  return new Map([...last].flatMap(([name, { at, isRunning }]) => (isRunning ? [] : [[name, at]])))
}

async function readContent(
  content: Buffer,
): Promise<Pick<Catalogue, 'versions' | 'plans'> | undefined> {
  const [first, ...documents] = linesIn(await promisify(gunzip)(content))
  const kept = keptIn(first)
  if (kept === undefined) return undefined
  const versions = kept.versions.map(([key, { head, ...version }], index) => {
    const document = keptJson(deepFreeze(head), documents[index] ?? Buffer.alloc(0))
    return [key, deepFreeze({ ...version, document })] as const
  })
  return { versions: frozenMap(versions), plans: frozenMap(deepFreeze(kept.plans)) }
}

/** Decompresses no document. */
async function firstLine(content: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = []
  const text: AsyncIterable<Buffer> = Readable.from([content]).pipe(createGunzip())
  for await (const piece of text) {
    const end = piece.indexOf('\n')
    pieces.push(end === -1 ? piece : piece.subarray(0, end))
    if (end !== -1) break
  }
  return Buffer.concat(pieces)
}

/** Undefined if another release has written it. */
function keptIn(line: Buffer | undefined): Kept | undefined {
  // This release wrote what has its own format.
  const kept = JSON.parse(String(line)) as Kept
  return kept.format === format ? kept : undefined
}

function linesIn(text: Buffer): readonly Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start)
    const line = text.subarray(start, end === -1 ? text.length : end)
    lines.push(line)
    start += line.length + 1
  }
  return lines
}

type KeptVersion = Omit<ApiVersion, 'document'> & Pick<KeptDocument, 'head'>

interface Kept {
  readonly format: number
  readonly versions: readonly (readonly [string, KeptVersion])[]
  readonly plans: readonly (readonly [string, Plan])[]
}
