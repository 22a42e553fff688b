import { userInfo } from 'node:os'
import { type Command, CommanderError } from 'commander'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { loadCatalogue } from '../catalogue/load-catalogue.ts'
import { errorText } from '../platform/log/error-text.ts'
import { readSettings, type Settings } from '../platform/settings/settings.ts'
import { CommandError, ReportedError, UsageError } from './command-error.ts'
import type { CommandContext } from './context.ts'
import { createOutput } from './output.ts'
import { createProgram } from './program.ts'

export interface RunOptions {
  /** Without the names of the runtime and of the script. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
  /** Whether a person reads both and types into `stdin`. */
  readonly isTerminal: boolean
  /** Reads CONFIG_DIR where a command needs what it publishes. (Default: loadCatalogue) */
  readonly readCatalogue?: typeof loadCatalogue
}

/**
 * Runs one command line and returns its exit code: 0 done, 1 it could not be
 * done, 2 the command line is wrong, 3 it takes something from an application. Standard output gets the result and
 * nothing else.
 */
export async function run(options: RunOptions): Promise<number> {
  const { env, stdin, stdout, stderr, isTerminal } = options
  const { args: given, as } = takeActor(options.args)
  const args = thumbprintsLast(given)
  let settings: Settings | undefined
  let catalogue: Promise<Catalogue> | undefined
  const context: CommandContext = {
    env,
    settings() {
      settings ??= readSettings(env)
      return settings
    },
    catalogue() {
      const { configDir } = context.settings()
      catalogue ??= import('../catalogue/load-catalogue.ts').then(({ loadCatalogue }) =>
        (options.readCatalogue ?? loadCatalogue)(configDir),
      )
      return catalogue
    },
    async registry(work) {
      const { withRegistry } = await import('./registry-session.ts')
      return withRegistry(context.settings(), work, (dataDir) =>
        context.output.note(`DATA_DIR ${dataDir} had no database. This command created one.`),
      )
    },
    async counters(work) {
      const { withCounters } = await import('./counters-session.ts')
      return withCounters(context.settings(), work)
    },
    output: createOutput({ stdout, stderr }),
    stdin,
    isTerminal,
    now: Date.now,
    actor: `operator:${as ?? userName()}`,
  }
  try {
    if (as !== undefined && !/^[A-Za-z0-9][\w.@-]{0,63}$/.test(as)) {
      throw new UsageError('--as needs a name of at most 64 letters, digits, dots, hyphens and @')
    }
    const program = await createProgram(context, { stdout, stderr }, askedCommand(args))
    checkHelpTopic(args, program)
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has written its message; asking for help is not an error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (error instanceof ReportedError) return error.exitCode
    stderr.write(`tollgate: ${errorText(error)}\n`)
    if (error instanceof CommandError) return error.exitCode
    return error instanceof UsageError ? 2 : 1
  }
}

/** Every 64th thumbprint of a certificate begins like an option. Behind `--` it is an argument. */
function thumbprintsLast(args: readonly string[]): readonly string[] {
  const isThumbprint = (arg: string) => /^-[\w-]{42}$/.test(arg)
  if (args.includes('--') || !args.some(isThumbprint)) return args
  return [...args.filter((arg) => !isThumbprint(arg)), '--', ...args.filter(isThumbprint)]
}

/** Takes `--as <name>` out of a command line, at any position: every command accepts it. */
function takeActor(given: readonly string[]): { args: readonly string[]; as: string | undefined } {
  const at = given.indexOf('--as')
  if (at === -1) return { args: given, as: undefined }
  return { args: given.toSpliced(at, 2), as: given[at + 1] ?? '' }
}

/** The command of `tollgate key …` and of `tollgate help key`. */
function askedCommand([first, second]: readonly string[]): string | undefined {
  return first === 'help' ? second : first
}

/** Commander shows the list of all commands for a topic that it does not know. */
function checkHelpTopic([first, topic]: readonly string[], program: Command): void {
  if (first !== 'help' || topic === undefined || topic === 'help' || topic.startsWith('-')) return
  if (program.commands.some((command) => command.name() === topic)) return
  throw new UsageError(`there is no command ${topic}; tollgate --help lists all commands`)
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a uid without a name.
    return String(process.getuid?.() ?? 'unknown')
  }
}
