import { type Command, Option } from 'commander'
import { bankMigrations } from '../../backend/stores/migrations/index.ts'
import type { Database } from '../../platform/database/database.ts'
import { migrate, readSchema, type SchemaOptions } from '../../platform/database/migrate.ts'
import type { MigrationRun } from '../../platform/database/schema-history.ts'
import { isOlder, type SchemaState } from '../../platform/database/schema-state.ts'
import { packageVersion } from '../../platform/process/package-version.ts'
import { registryMigrations } from '../../registry/migrations/index.ts'
import { CommandError, ReportedError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { unreachable, withDatabase } from '../database-session.ts'
import { addExamples } from '../examples.ts'
import { grantRights, requireRoles } from '../grant-rights.ts'
import type { JsonOption } from './options.ts'

interface MigrateCommandOptions extends JsonOption {
  readonly check?: true
  readonly grant?: true
}

const schemas: readonly SchemaOptions[] = [
  { name: 'registry', migrations: registryMigrations },
  { name: 'bank', migrations: bankMigrations },
]

const titles = { registry: 'Registry', bank: 'Sandbox bank' } as const

export function registerMigrate(command: Command, context: CommandContext): void {
  addExamples(command, [
    'DATABASE_URL=postgres://tollgate_owner:…@host/tollgate tollgate migrate --grant',
    'tollgate migrate --check',
  ])
    .description(
      'Create or upgrade the tables of the registry and the sandbox bank. Run it as the role that owns the tables, with --grant, if each service has its own database role.',
    )
    .option(
      '--check',
      'change nothing; say what would run and which releases work on the tables then (exit code 1: there is something to run, or this release does not work on them)',
    )
    .addOption(
      new Option(
        '--grant',
        'then set the rights of the roles of deploy/postgres/roles.sql on all tables; rows of security events are protected for SECURITY_EVENT_DAYS',
      ).conflicts('check'),
    )
    .option('--json', 'print {"applied","granted"}, or {"release","schemas"} of a check')
    .action(({ check, grant, json }: MigrateCommandOptions) =>
      check === true ? checkTables(context, json) : migrateTables(context, grant === true, json),
    )
}

/** Creates or upgrades the tables of all schemas, one schema after the other, then sets rights if asked. */
async function migrateTables(
  context: CommandContext,
  grant: boolean,
  json: boolean | undefined,
): Promise<void> {
  const settings = context.settings()
  if (grant && settings.databaseUrl === undefined) {
    throw new CommandError('--grant: needs DATABASE_URL; the embedded database has only one role')
  }
  const { applied, newer } = await withDatabase(settings, async (database) => {
    if (grant) await requireRoles(database)
    const applied: string[] = []
    for (const schema of schemas) applied.push(...(await migrate(database, schema)))
    if (!grant) return { applied, newer: [] }
    const states = await Promise.all(schemas.map((schema) => readSchema(database, schema)))
    const newer = states.flatMap((state) => state.newer)
    // Tables that this release does not know have rights that it would take away.
    if (newer.length === 0) await grantRights(database, settings)
    return { applied, newer }
  })
  const granted = grant && newer.length === 0
  context.output.result(json, { applied, granted }, () => {
    const done = applied.length === 0 ? 'Nothing to migrate.' : `Applied ${applied.join(', ')}.`
    if (!grant) return done
    return granted
      ? `${done} The rights are set.`
      : `${done} The rights stay as a newer release set them, which ran ${runsText(newer)}.`
  })
}

/** @throws {ReportedError} there is something to run, or this release does not work on the tables */
async function checkTables(context: CommandContext, json: boolean | undefined): Promise<void> {
  const states = await withDatabase(context.settings(), checkSchemas)
  const release = packageVersion()
  context.output.result(json, { release, schemas: states }, () => checkText(states, release))
  if (states.some(({ pending, unfit }) => pending.length + unfit.length > 0)) {
    throw new ReportedError()
  }
}

interface CheckedSchema extends SchemaState {
  readonly schema: SchemaOptions['name']
  /** The oldest release that works on the tables after the pending migrations; undefined: every release does. */
  readonly oldestRelease: string | undefined
}

async function checkSchemas(database: Database): Promise<CheckedSchema[]> {
  return Promise.all(
    schemas.map(async (schema) => {
      const state = await readSchema(database, schema).catch((error: unknown) => {
        throw unreachable(`the ${schema.name}`, error)
      })
      return { schema: schema.name, ...state, oldestRelease: oldestAfter(state, schema) }
    }),
  )
}

/** The newest of the oldest releases that each migration names. */
function oldestAfter(
  { pending, newer }: SchemaState,
  { migrations }: SchemaOptions,
): string | undefined {
  return [...pending.map((name) => migrations[name]), ...newer]
    .flatMap((migration) => migration?.oldestRelease ?? [])
    .reduce<string | undefined>(
      (oldest, release) => (oldest === undefined || isOlder(oldest, release) ? release : oldest),
      undefined,
    )
}

/** A line for each schema. */
function checkText(states: readonly CheckedSchema[], release: string): string {
  return states.map((state) => `${titles[state.schema]}: ${stateText(state, release)}`).join('\n')
}

function stateText(state: CheckedSchema, release: string): string {
  const { pending, newer, unfit, oldestRelease, isNew } = state
  if (unfit.length > 0) {
    return `release ${release} does not work on these tables. ${runsText(unfit)} ran; start release ${oldestRelease ?? 'that ran it'} or newer.`
  }
  if (isNew) return 'no tables yet; `tollgate migrate` or the first start creates them.'
  if (pending.length > 0) {
    return `${pending.length} to run (${pending.join(', ')}). ${afterwardsText(oldestRelease)}`
  }
  if (newer.length > 0) {
    return `release ${release} works on these tables; newer ones ran ${runsText(newer)}.`
  }
  return 'up to date.'
}

function afterwardsText(oldestRelease: string | undefined): string {
  return oldestRelease === undefined
    ? 'Processes of older releases work on meanwhile and afterwards.'
    : `Afterwards only processes of release ${oldestRelease} or newer work: stop older ones first.`
}

/** `0002-overrides (0.3.0), 0003-audit (0.4.0)` */
function runsText(runs: readonly MigrationRun[]): string {
  return runs.map(({ name, release }) => `${name} (${release})`).join(', ')
}
