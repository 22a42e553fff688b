import type { Command } from 'commander'
import { bankMigrations } from '../../backend/stores/migrations/index.ts'
import { registryMigrations } from '../../gateway/registry/migrations/index.ts'
import { migrate } from '../../platform/migrate.ts'
import type { CommandContext } from '../context.ts'
import { withDatabase } from '../database-session.ts'
import { addExamples } from '../examples.ts'
import type { JsonOption } from './options.ts'

export function registerMigrate(command: Command, context: CommandContext): void {
  addExamples(command, ['DATABASE_URL=postgres://tollgate_owner:…@host/tollgate tollgate migrate'])
    .description(
      'Create or upgrade the tables of the registry and the sandbox bank. Use it with the role that owns the tables, where the role that serves may not create any.',
    )
    .option('--json', 'print {"applied"}')
    .action(async ({ json }: JsonOption) => {
      const applied = await withDatabase(context.settings(), async (database) => [
        ...(await migrate(database, { name: 'registry', migrations: registryMigrations })),
        ...(await migrate(database, { name: 'bank', migrations: bankMigrations })),
      ])
      context.output.result(json, { applied }, () =>
        applied.length === 0 ? 'Nothing to do.' : `Applied ${applied.join(', ')}.`,
      )
    })
}
