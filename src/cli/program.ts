import { Command } from 'commander'
import { registerApplication } from './commands/application.ts'
import { registerBuild } from './commands/build.ts'
import { registerCheck } from './commands/check.ts'
import { registerCounter } from './commands/counter.ts'
import { registerDeveloper } from './commands/developer.ts'
import { registerDiff } from './commands/diff.ts'
import { registerExplain } from './commands/explain.ts'
import { registerKey } from './commands/key.ts'
import { registerOnboard } from './commands/onboard.ts'
import { registerOperator } from './commands/operator.ts'
import { registerOverride } from './commands/override.ts'
import { registerReload } from './commands/reload.ts'
import { registerStart } from './commands/start.ts'
import { registerSubscription } from './commands/subscription.ts'
import type { CommandContext } from './context.ts'
import { packageVersion } from './package-version.ts'

/** Adds one command, with its subcommands, to the program. */
export type RegisterCommand = (program: Command, context: CommandContext) => void

/** Every command, in the order of the help text. A new one is a file in `commands/` and a line here. */
const commands: readonly RegisterCommand[] = [
  registerStart,
  registerBuild,
  registerCheck,
  registerDiff,
  registerReload,
  registerExplain,
  registerOnboard,
  registerDeveloper,
  registerApplication,
  registerSubscription,
  registerKey,
  registerCounter,
  registerOverride,
  registerOperator,
]

/**
 * The command line `tollgate …`. It throws instead of ending the process;
 * errors of usage have been written by then.
 */
export function createProgram(
  context: CommandContext,
  streams: { stdout: { write(text: string): unknown }; stderr: { write(text: string): unknown } },
): Command {
  const program = new Command('tollgate')
    .description('An API gateway that enforces plans and versions')
    .version(packageVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .showHelpAfterError('(--help shows what is possible)')
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
    })
  for (const register of commands) register(program, context)
  return program
}
