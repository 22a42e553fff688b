// This folder is the command line `tollgate`. Read this file first: it has a row for each command, and `commands/` a
// file. A command gets a `CommandContext` (`context.ts`), which opens the database or the counters when the command
// asks for them (`database-session.ts`, `counters-session.ts`), beside a running process or alone. `run.ts` turns
// failures into messages and exit codes, `output.ts` draws tables or JSON. Commands hold no rules of their own: they
// call the stores that the portal calls.

import { Command, CommanderError, Help, type Option } from 'commander'
import { packageRevision, packageVersion } from '../platform/process/package-version.ts'
import type { CommandContext } from './context.ts'
import { addExamples } from './examples.ts'

/** Describes one command and adds its arguments, options and subcommands. */
export type RegisterCommand = (command: Command, context: CommandContext) => void

interface CommandRow {
  /** What `tollgate --help` says about it. */
  readonly summary: string
  /** Loads the code of the command: only when it is called, so that the help of all commands costs little. */
  readonly load: () => Promise<RegisterCommand>
}

/** Every command in the order of the help text. */
export const commands: Readonly<Record<string, CommandRow>> = {
  start: {
    summary: 'run Tollgate, or some of its roles, in this process',
    load: async () => (await import('./commands/start.ts')).registerStart,
  },
  build: {
    summary: "build the portal's page",
    load: async () => (await import('./commands/build.ts')).registerBuild,
  },
  migrate: {
    summary: 'create or upgrade the tables',
    load: async () => (await import('./commands/migrate.ts')).registerMigrate,
  },
  prove: {
    summary: 'show that limits hold on the running system',
    load: async () => (await import('./commands/prove.ts')).registerProve,
  },
  export: {
    summary: 'write everything in the database to a file',
    load: async () => (await import('./commands/export.ts')).registerExport,
  },
  import: {
    summary: 'bring an export into an empty database',
    load: async () => (await import('./commands/import.ts')).registerImport,
  },
  backup: {
    summary: 'back up database and configuration while Tollgate runs',
    load: async () => (await import('./commands/backup.ts')).registerBackup,
  },
  restore: {
    summary: 'bring a backup into an empty database',
    load: async () => (await import('./commands/restore.ts')).registerRestore,
  },
  settings: {
    summary: 'show the settings that a process would use, without secrets',
    load: async () => (await import('./commands/settings.ts')).registerSettings,
  },
  publish: {
    summary: 'publish an OpenAPI document',
    load: async () => (await import('./commands/publish.ts')).registerPublish,
  },
  check: {
    summary: 'validate the API documents and plans',
    load: async () => (await import('./commands/check.ts')).registerCheck,
  },
  diff: {
    summary: 'show what differs between two versions of an API',
    load: async () => (await import('./commands/diff.ts')).registerDiff,
  },
  plan: {
    summary: 'show what a changed configuration would do to applications',
    load: async () => (await import('./commands/plan.ts')).registerPlan,
  },
  rehearsal: {
    summary: 'show what a rehearsed plan would have refused',
    load: async () => (await import('./commands/rehearsal.ts')).registerRehearsal,
  },
  reload: {
    summary: 'apply changed documents and plans in all running processes',
    load: async () => (await import('./commands/reload.ts')).registerReload,
  },
  log: {
    summary: 'change the log levels of running processes temporarily',
    load: async () => (await import('./commands/log.ts')).registerLog,
  },
  explain: {
    summary: 'show what the gateway would do with a call, and why',
    load: async () => (await import('./commands/explain.ts')).registerExplain,
  },
  onboard: {
    summary: 'create developer, application, subscriptions and an API key in one go',
    load: async () => (await import('./commands/onboard.ts')).registerOnboard,
  },
  developer: {
    summary: 'list, show, suspend and delete developers',
    load: async () => (await import('./commands/developer.ts')).registerDeveloper,
  },
  application: {
    summary: 'manage the applications that call with API keys',
    load: async () => (await import('./commands/application.ts')).registerApplication,
  },
  subscription: {
    summary: 'manage which API versions an application may call, and under which plan',
    load: async () => (await import('./commands/subscription.ts')).registerSubscription,
  },
  key: {
    summary: 'list, issue, rotate and revoke API keys',
    load: async () => (await import('./commands/key.ts')).registerKey,
  },
  certificate: {
    summary: 'list, add, remove and block the certificates of applications',
    load: async () => (await import('./commands/certificate.ts')).registerCertificate,
  },
  counter: {
    summary: 'show or reset what an application has used of its limits',
    load: async () => (await import('./commands/counter.ts')).registerCounter,
  },
  override: {
    summary: "raise or lower one application's limit until a date",
    load: async () => (await import('./commands/override.ts')).registerOverride,
  },
  operator: {
    summary: "manage the operators, who see the portal's operator pages",
    load: async () => (await import('./commands/operator.ts')).registerOperator,
  },
  audit: {
    summary: 'verify, export and shorten the audit log',
    load: async () => (await import('./commands/audit.ts')).registerAudit,
  },
  events: {
    summary: 'list and export security events',
    load: async () => (await import('./commands/events.ts')).registerEvents,
  },
  report: {
    summary: 'report availability, incidents, planned downtime and usage',
    load: async () => (await import('./commands/report.ts')).registerReport,
  },
  sandbox: {
    summary: "show the sandbox bank's customers, and act as the bank",
    load: async () => (await import('./commands/sandbox.ts')).registerSandbox,
  },
}

/**
 * The command line `tollgate …`. It throws instead of ending the process; it
 * has written usage errors by then. It loads the code of `asked` only.
 */
export async function createProgram(
  context: CommandContext,
  streams: { stdout: { write(text: string): unknown }; stderr: { write(text: string): unknown } },
  asked: string | undefined,
): Promise<Command> {
  const program = new Command('tollgate')
    .description('An API gateway and developer portal for any API')
    .option('-V, --version', 'print the version and the revision')
    .on('option:version', () => {
      streams.stdout.write(`${packageVersion()} (${packageRevision()})\n`)
      throw new CommanderError(0, 'commander.version', 'the version was printed')
    })
    .option('--as <name>', 'who acts, for the audit log (default: the user of the system)')
    // `publish` has an option --version of its own.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ optionDescription: describeOption })
    .showHelpAfterError('(add --help for usage and examples)')
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
    })
  addExamples(program, [
    'tollgate start',
    'tollgate onboard --email you@example.com --application "Budget app" --api xs2a@1.7.0',
    'tollgate explain GET /v1.7.0/accounts --key - < key.txt',
    'tollgate key rotate --help',
  ])
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = program
      .command(name)
      .summary(summary)
      .description(`${sentence(summary)}.`)
    // `tollgate help key` shows the same as `tollgate key --help`.
    if (name === asked) (await load())(command, context)
  }
  return program
}

const help = new Help()

function describeOption(option: Option): string {
  return `${help.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
