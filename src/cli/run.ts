import { userInfo } from 'node:os'
import { CommanderError } from 'commander'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { RegistryConflict, RegistryInputInvalid } from '../gateway/registry/registry-errors.ts'
import { errorText } from '../platform/error-text.ts'
import { readSettings, type Settings } from '../platform/settings.ts'
import { ReportedError, UsageError } from './command-error.ts'
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
}

/**
 * Runs one command line and returns its exit code: 0 done, 1 it could not be
 * done, 2 the command line is wrong. Standard output gets the result and
 * nothing else.
 */
export async function run({ args, env, stdin, stdout, stderr }: RunOptions): Promise<number> {
  let settings: Settings | undefined
  let catalogue: Promise<Catalogue> | undefined
  const context: CommandContext = {
    settings() {
      settings ??= readSettings(env)
      return settings
    },
    catalogue() {
      const { configDir } = context.settings()
      catalogue ??= import('../catalogue/load-catalogue.ts').then(({ loadCatalogue }) =>
        loadCatalogue(configDir),
      )
      return catalogue
    },
    output: createOutput({ stdout, stderr }),
    stdin,
    now: Date.now,
    actor: `operator:${userName()}`,
  }
  try {
    const program = await createProgram(context, { stdout, stderr }, args[0])
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has written its message; asking for help is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (error instanceof ReportedError) return 1
    stderr.write(`tollgate: ${errorText(error, isComplete)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

/** Errors whose own message says all there is to say: their cause is the same in the words of a library. */
function isComplete(error: unknown): boolean {
  return error instanceof RegistryConflict || error instanceof RegistryInputInvalid
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a uid without a name.
    return String(process.getuid?.() ?? 'unknown')
  }
}
