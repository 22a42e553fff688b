import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import { bankMigrations } from '../backend/stores/migrations/index.ts'
import {
  neededFingerprints,
  ownFingerprints,
  unfitSecrets,
} from '../compose/secret-fingerprints.ts'
import { type Database, isForbidden } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrate.ts'
import {
  readExportCounts,
  readExportHeader,
  writeExportFile,
} from '../platform/database/move/export-file.ts'
import type { ExportHeader } from '../platform/database/move/export-format.ts'
import { type ExportReport, exportRows } from '../platform/database/move/export-rows.ts'
import {
  DatabaseNotEmpty,
  type ImportReport,
  importRows,
} from '../platform/database/move/import-rows.ts'
import { readMigrations } from '../platform/database/move/tables.ts'
import { packageVersion } from '../platform/process/package-version.ts'
import { recordAudit } from '../registry/audit/audit.ts'
import { readHead } from '../registry/audit/chain-rows.ts'
import { registryMigrations } from '../registry/migrations/index.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import type { RegistryTransaction } from '../registry/transaction.ts'
import { type BroughtCounts, raiseCounts, readCounts } from './carry-counts.ts'
import { CommandError, ReportedError, UsageError } from './command-error.ts'
import { confirm } from './confirm.ts'
import type { CommandContext } from './context.ts'
import { type DatabaseHome, unreachable, withDatabase } from './database-session.ts'

/**
 * Sessions end with a move, and so do sign-ins under way. Changes are news for
 * processes that run, and those run elsewhere.
 */
const notMoved: ReadonlySet<string> = new Set([
  'registry.sessions',
  'registry.factor_challenges',
  'registry.changes',
  'registry.processes',
])

/** A process that ran once without any data leaves rows here. */
const seldomEmpty: ReadonlySet<string> = new Set([
  'registry.portal_state',
  'registry.published_configurations',
  'registry.configurations',
  ...notMoved,
])

const migrations = { registry: registryMigrations, bank: bankMigrations }

/** An export that was made. */
export interface MadeExport extends ExportReport {
  /** What it should have and has not, with the reason of each; empty when it is complete. */
  readonly missing: readonly string[]
  /** Whether something could not be read. */
  readonly hasFailed: boolean
}

/**
 * Writes all rows of registry and bank to a new file, as they are at one
 * instant, and an entry of the audit before.
 *
 * @throws {CommandError} | {ExportExists}
 */
export function exportDatabase(context: CommandContext, path: string): Promise<MadeExport> {
  const settings = context.settings()
  const missing: string[] = []
  let hasFailed = false
  return withDatabase(settings, async (database) => {
    await checkTables(database)
    return writeExportFile(path, async (write) => {
      await recordExport(database, context.actor)
      const secrets = neededFingerprints(
        await ownFingerprints(settings),
        await pepperVersions(database),
      )
      missing.push(...missingFingerprints(secrets))
      const report = await exportRows(
        {
          database,
          release: packageVersion(),
          secrets,
          without: notMoved,
          auditEnd,
          async counts(trx) {
            const counts = await readCounts(context, trx as Kysely<RegistrySchema>)
            if (counts.missing !== undefined) missing.push(counts.missing)
            hasFailed = counts.hasFailed
            return counts.lines
          },
        },
        write,
      )
      return { ...report, missing, hasFailed }
    })
  }).catch((error: unknown) => {
    throw ownersError(error)
  })
}

/** Without a fingerprint, an import cannot detect that it has another secret. */
function missingFingerprints(secrets: ExportHeader['secrets']): readonly string[] {
  const names = Object.keys(secrets)
  return ['KEY_PEPPER', 'SESSION_SECRET']
    .filter((name) => !names.some((one) => one === name || one.startsWith(`${name} `)))
    .map((name) => `the fingerprint of ${name}: it is not set here, so no import can compare it`)
}

/**
 * Describes, in words for the operator, what an export lacks.
 *
 * @throws {ReportedError} when something could not be read
 */
export function reportMissing(
  { output }: Pick<CommandContext, 'output'>,
  { missing, hasFailed }: Pick<MadeExport, 'missing' | 'hasFailed'>,
): void {
  for (const what of missing) output.note(`WARNING: missing in it is ${what}`)
  if (hasFailed) throw new ReportedError()
}

async function checkTables(database: Database): Promise<void> {
  const names = await readMigrations(database.connect(), 'registry').catch((error: unknown) => {
    throw unreachable('the database', error)
  })
  if (names.length === 0) throw new CommandError('the database has no tables of Tollgate')
}

/** Versions of the pepper that working keys need. */
async function pepperVersions(database: Database): Promise<number[]> {
  const { rows } = await sql<{ version: number }>`
    select distinct pepper_version as version from api_keys
    where coalesce(least(revoked_at, expires_at), 'infinity') > now()`.execute(database.connect())
  return rows.map(({ version }) => version)
}

async function auditEnd(trx: Kysely<unknown>): Promise<ExportHeader['audit']> {
  const head = await readHead(trx as Kysely<RegistrySchema>)
  return head === undefined ? null : { position: head.position, hash: head.hash.toString('hex') }
}

/** Personal data leaves the database: the audit says when and who. A standby cannot. */
async function recordExport(database: Database, by: string): Promise<void> {
  const db = database.connect<RegistrySchema>()
  const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(
    db,
  )
  if (rows[0]?.standby === true) return
  await db.transaction().execute((trx) =>
    recordAudit(trx, {
      actor: by,
      action: 'database.export',
      subject: 'database:all',
      detail: { release: packageVersion() },
    }),
  )
}

export interface ImportOptions {
  /** Whether only counts of limits are brought, which an import before has left out. */
  readonly countsOnly?: boolean | undefined
  /** Whether existing rows are deleted first. */
  readonly replace?: boolean | undefined
  /** Whether the person is not asked. */
  readonly yes?: boolean | undefined
  readonly json?: boolean | undefined
}

/** An import that was made. */
export interface MadeImport extends Omit<ImportReport, 'counts'> {
  readonly counts: BroughtCounts
}

/**
 * Brings an export into the database the settings lead to.
 *
 * @throws {CommandError} | {ExportUnusable} and the database is as it was
 */
export async function importDatabase(
  context: CommandContext,
  path: string,
  options: ImportOptions,
): Promise<MadeImport> {
  const settings = context.settings()
  const header = await readExportHeader(path)
  await checkSecrets(context, header)
  if (options.replace === true) await askToReplace(context, options)
  return withDatabase(
    settings,
    async (database, home) => {
      await refuseRunning(database, home, settings.dataDir)
      for (const name of ['registry', 'bank'] as const) {
        await migrate(database, { name, migrations: migrations[name] })
      }
      const report = await importRows({
        database,
        path,
        migrations,
        seldomEmpty,
        replaces: options.replace === true,
        record: (trx, report) => recordImport(trx, context.actor, report),
      })
      return { ...report, counts: await raiseCounts(context, report.counts) }
    },
    { isImport: true },
  ).catch((error: unknown) => {
    if (error instanceof DatabaseNotEmpty) {
      throw new CommandError(
        `${error.message}; nothing was changed. Give an empty database, or add --replace to delete everything in it`,
      )
    }
    throw ownersError(error)
  })
}

/**
 * Brings the counts of an export alone, once more. In Redis, processes may
 * count meanwhile.
 *
 * @throws {CommandError} | {ExportUnusable}
 */
export async function importCounts(
  context: CommandContext,
  path: string,
): Promise<BroughtCounts & Pick<ImportReport, 'header'>> {
  const settings = context.settings()
  const { header, counts } = await readExportCounts(path)
  return withDatabase(settings, async (database, home) => {
    if (settings.redis === undefined) await refuseRunning(database, home, settings.dataDir)
    await checkTables(database)
    const brought = await raiseCounts(context, counts)
    await database
      .connect()
      .transaction()
      .execute((trx) => recordImport(trx, context.actor, { header, rows: 0 }, String(brought.done)))
    return { header, ...brought }
  }).catch((error: unknown) => {
    throw ownersError(error)
  })
}

async function recordImport(
  trx: Transaction<unknown>,
  by: string,
  { header, rows }: Pick<ImportReport, 'header' | 'rows'>,
  counts?: string,
): Promise<void> {
  await recordAudit(trx as RegistryTransaction, {
    actor: by,
    action: 'database.import',
    subject: 'database:all',
    detail: {
      release: header.release,
      madeAt: header.madeAt,
      rows: String(rows),
      ...(counts === undefined ? {} : { counts }),
    },
  })
}

/** @throws {CommandError} naming the secrets without which keys, second factors or webhooks would not work */
async function checkSecrets(context: CommandContext, header: ExportHeader): Promise<void> {
  const settings = context.settings()
  const isEmbedded = settings.databaseUrl === undefined
  const unfit = unfitSecrets(header.secrets, await ownFingerprints(settings))
  const refused: string[] = []
  for (const { name, isOther } of unfit) {
    // A machine without the portal has none, and needs none to import.
    if (name === 'SESSION_SECRET' && !isOther && !isEmbedded) {
      context.output.note(
        'SESSION_SECRET is not set here, so it was not compared. The portal needs the one from before the export.',
      )
    } else {
      refused.push(isOther ? `${name} is another one here` : `${name} is missing here`)
    }
  }
  if (refused.length === 0) return
  const where = isEmbedded
    ? `Copy key-pepper and session-secret from the old DATA_DIR into ${settings.dataDir}, or set KEY_PEPPER and SESSION_SECRET`
    : 'Set KEY_PEPPER and SESSION_SECRET as they were (of an embedded installation: KEY_PEPPER_FILE=<DATA_DIR>/key-pepper, SESSION_SECRET_FILE=<DATA_DIR>/session-secret)'
  throw new CommandError(
    `nothing was imported, because secrets are never part of an export and those here do not fit: ${refused.join(', ')}. ${where}`,
  )
}

async function askToReplace(context: CommandContext, { yes, json }: ImportOptions): Promise<void> {
  if (yes === true) return
  if (json === true || !context.isTerminal) {
    throw new UsageError('nothing was changed; add --yes to delete everything in the database')
  }
  await confirm(context, 'This deletes everything that is in the database now.')
}

/** A process that runs knows keys and limits of the database from before. */
async function refuseRunning(
  database: Database,
  home: DatabaseHome,
  dataDir: string,
): Promise<void> {
  if (home.kind === 'beside') {
    throw new CommandError(`a process uses DATA_DIR ${dataDir}; stop it first`)
  }
  if (home.kind !== 'server') return
  const deadline = performance.now() + endingMs
  for (;;) {
    const others = await countOthers(database)
    if (others === 0) return
    if (performance.now() > deadline) {
      throw new CommandError(
        `${others} ${others === 1 ? 'connection' : 'connections'} of running Tollgate processes to this database; stop them first`,
      )
    }
    await delay(100)
  }
}

/** How long the server may take to end the connections of a process that has just ended. */
const endingMs = 2_000

async function countOthers(database: Database): Promise<number> {
  const { rows } = await sql<{ others: number }>`
    select count(*)::int as others from pg_stat_activity
    where datname = current_database() and application_name like 'tollgate%' and pid <> pg_backend_pid()`
    .execute(database.connect())
    .catch((error: unknown) => {
      throw unreachable('the database', error)
    })
  return rows[0]?.others ?? 0
}

function ownersError(error: unknown): unknown {
  if (!isForbidden(error)) return error
  return new CommandError(
    'the role of DATABASE_URL may not do this; use the role that owns the tables',
    { cause: error },
  )
}
