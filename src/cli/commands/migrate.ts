import type { Command } from 'commander'
import { bankMigrations } from '../../backend/stores/migrations/index.ts'
import type { Database } from '../../platform/database/database.ts'
import { migrate, readSchema, type SchemaOptions } from '../../platform/database/migrate.ts'
import type { MigrationRun } from '../../platform/database/schema-history.ts'
import { isOlder, type SchemaState } from '../../platform/database/schema-state.ts'
import { packageVersion } from '../../platform/process/package-version.ts'
import { registryMigrations } from '../../registry/migrations/index.ts'
import { ReportedError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { unreachable, withDatabase } from '../database-session.ts'
import { addExamples } from '../examples.ts'
import type { JsonOption } from './options.ts'

interface MigrateCommandOptions extends JsonOption {
  readonly check?: true
}

const schemas: readonly SchemaOptions[] = [
  { name: 'registry', migrations: registryMigrations },
  { name: 'bank', migrations: bankMigrations },
]

const titles = { registry: 'Registry', bank: 'Sandbox bank' } as const

export function registerMigrate(command: Command, context: CommandContext): void {
  addExamples(command, [
    'DATABASE_URL=postgres://tollgate_owner:…@host/tollgate tollgate migrate',
    'tollgate migrate --check',
  ])
    .description(
      'Create or upgrade the tables of the registry and the sandbox bank. Run it as the role that owns the tables if the serving role may not create tables.',
    )
    .option(
      '--check',
      'change nothing; say what would run and which releases work on the tables then (exit code 1: there is something to run, or this release does not work on them)',
    )
    .option('--json', 'print {"applied"}, or {"release","schemas"} of a check')
    .action(async ({ check, json }: MigrateCommandOptions) => {
      const { output } = context
      if (check === true) {
        const states = await withDatabase(context.settings(), checkSchemas)
        const release = packageVersion()
        output.result(json, { release, schemas: states }, () => checkText(states, release))
        if (states.some(({ pending, unfit }) => pending.length + unfit.length > 0)) {
          throw new ReportedError()
        }
        return
      }
      const applied = await withDatabase(context.settings(), async (database) => {
        const ran: string[] = []
        for (const schema of schemas) ran.push(...(await migrate(database, schema)))
        return ran
      })
      output.result(json, { applied }, () =>
        applied.length === 0 ? 'Nothing to do.' : `Applied ${applied.join(', ')}.`,
      )
    })
}

interface CheckedSchema extends SchemaState {
  readonly schema: SchemaOptions['name']
  /** The oldest release that works on the tables after the pending migrations; undefined: each one does. */
  readonly oldestRelease: string | undefined
  /** There are no tables yet. */
  readonly isNew: boolean
}

async function checkSchemas(database: Database): Promise<CheckedSchema[]> {
  return Promise.all(
    schemas.map(async (schema) => {
      const state = await readSchema(database, schema).catch((error: unknown) => {
        throw unreachable(`the ${schema.name}`, error)
      })
      const isNew = state.pending.length === Object.keys(schema.migrations).length
      return { schema: schema.name, ...state, oldestRelease: oldestAfter(state, schema), isNew }
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

function checkText(states: readonly CheckedSchema[], release: string): string {
  return states.map((state) => schemaText(state, release)).join('\n')
}

function schemaText(state: CheckedSchema, release: string): string {
  const { schema, pending, newer, unfit, oldestRelease, isNew } = state
  const title = titles[schema]
  if (unfit.length > 0) {
    return `${title}: release ${release} does not work on these tables. ${runsText(unfit)} ran; start release ${oldestRelease ?? 'that ran it'} or newer.`
  }
  const what =
    pending.length === 0
      ? newer.length === 0
        ? 'up to date'
        : `release ${release} works on these tables; newer ones ran ${runsText(newer)}`
      : `${pending.length} to run (${pending.join(', ')})`
  if (pending.length === 0) return `${title}: ${what}.`
  if (isNew) return `${title}: no tables yet; \`tollgate migrate\` or the first start creates them.`
  const older =
    oldestRelease === undefined
      ? 'Processes of older releases work on meanwhile and afterwards.'
      : `Afterwards only processes of release ${oldestRelease} or newer work: stop older ones first.`
  return `${title}: ${what}. ${older}`
}

function runsText(runs: readonly MigrationRun[]): string {
  return runs.map(({ name, release }) => `${name} (${release ?? 'unknown'})`).join(', ')
}
