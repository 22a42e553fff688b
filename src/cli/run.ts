import { userInfo } from 'node:os'
import { CommanderError } from 'commander'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { loadCatalogue } from '../catalogue/load-catalogue.ts'
import { RegistryConflict, RegistryInputInvalid } from '../gateway/registry/registry-errors.ts'
import { ListenError } from '../platform/listen.ts'
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
      catalogue ??= loadCatalogue(context.settings().configDir)
      return catalogue
    },
    output: createOutput({ stdout, stderr }),
    stdin,
    now: Date.now,
    actor: `operator:${userName()}`,
  }
  try {
    await createProgram(context, { stdout, stderr }).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has written its message; asking for help is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (error instanceof ReportedError) return 1
    stderr.write(`tollgate: ${messageOf(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

/** The message with those of its causes: whoever runs a command is the operator and may know them. */
function messageOf(error: unknown): string {
  if (isComplete(error)) return error.message
  const messages: string[] = []
  for (let current = error; current !== undefined && messages.length < 5; ) {
    if (!(current instanceof Error)) return [...messages, String(current)].join(': ')
    const inner = current instanceof AggregateError ? current.errors[0] : current.cause
    if (current.message !== '') messages.push(current.message)
    current = inner
  }
  return messages.join(': ')
}

/** Errors whose own message says all there is to say: their cause is the same in the words of a library. */
function isComplete(error: unknown): error is Error {
  return (
    error instanceof RegistryConflict ||
    error instanceof RegistryInputInvalid ||
    error instanceof ListenError
  )
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a uid without a name.
    return String(process.getuid?.() ?? 'unknown')
  }
}
