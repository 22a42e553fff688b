import { Command } from 'commander'
import type { CommandContext } from './context.ts'
import { packageVersion } from './package-version.ts'

/** Adds one command, with its subcommands, to the program. */
export type RegisterCommand = (program: Command, context: CommandContext) => void

/** Every command by its name, in the order of the help text. A new one is a file in `commands/` and a line here. */
const commands: Readonly<Record<string, () => Promise<RegisterCommand>>> = {
  start: async () => (await import('./commands/start.ts')).registerStart,
  build: async () => (await import('./commands/build.ts')).registerBuild,
  check: async () => (await import('./commands/check.ts')).registerCheck,
  diff: async () => (await import('./commands/diff.ts')).registerDiff,
  reload: async () => (await import('./commands/reload.ts')).registerReload,
  explain: async () => (await import('./commands/explain.ts')).registerExplain,
  onboard: async () => (await import('./commands/onboard.ts')).registerOnboard,
  developer: async () => (await import('./commands/developer.ts')).registerDeveloper,
  application: async () => (await import('./commands/application.ts')).registerApplication,
  subscription: async () => (await import('./commands/subscription.ts')).registerSubscription,
  key: async () => (await import('./commands/key.ts')).registerKey,
  counter: async () => (await import('./commands/counter.ts')).registerCounter,
  override: async () => (await import('./commands/override.ts')).registerOverride,
  operator: async () => (await import('./commands/operator.ts')).registerOperator,
  sandbox: async () => (await import('./commands/sandbox.ts')).registerSandbox,
}

/**
 * The command line `tollgate …`. It throws instead of ending the process;
 * errors of usage have been written by then.
 *
 * The code of the command asked for is loaded, and no other; of all of them
 * when none is, because the help shows them.
 */
export async function createProgram(
  context: CommandContext,
  streams: { stdout: { write(text: string): unknown }; stderr: { write(text: string): unknown } },
  asked: string | undefined,
): Promise<Command> {
  const program = new Command('tollgate')
    .description('An API gateway that enforces plans and versions')
    .version(packageVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .showHelpAfterError('(--help shows what is possible)')
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
    })
  const known = asked !== undefined && Object.hasOwn(commands, asked) ? commands[asked] : undefined
  for (const load of known === undefined ? Object.values(commands) : [known]) {
    const register = await load()
    register(program, context)
  }
  return program
}
