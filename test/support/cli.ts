import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { run } from '../../src/cli/run.ts'
import { childEnvironment } from './child-environment.ts'
import { configDir, sharedCatalogue } from './published-catalogue.ts'

/** What a command ended with. */
export interface CommandOutcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

type Environment = Readonly<Record<string, string>>

/** Runs a command in this process. `env` is its whole environment except CONFIG_DIR. */
export function tollgate(env: Environment, ...args: string[]): Promise<CommandOutcome> {
  return tollgateReading('', env, ...args)
}

/** Runs a command in this process that reads `input` from standard input. */
export function tollgateReading(
  input: string,
  env: Environment,
  ...args: string[]
): Promise<CommandOutcome> {
  return runHere({ input, isTerminal: false }, env, args)
}

/** Runs a command in this process for a person who types `input`. */
export function tollgateOnTerminal(
  input: string,
  env: Environment,
  ...args: string[]
): Promise<CommandOutcome> {
  return runHere({ input, isTerminal: true }, env, args)
}

async function runHere(
  { input, isTerminal }: { readonly input: string; readonly isTerminal: boolean },
  env: Environment,
  args: readonly string[],
): Promise<CommandOutcome> {
  const written = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => ({
    write(text: string) {
      written[name] += text
    },
  })
  const code = await run({
    args,
    env: { CONFIG_DIR: configDir, ...env },
    stdin: Readable.from([input]),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    isTerminal,
    readCatalogue: sharedCatalogue,
  })
  return { code, ...written }
}

/** Runs a command in a separate process, through the launcher. */
export async function tollgateProcess(
  env: Environment,
  ...args: string[]
): Promise<CommandOutcome> {
  const launcher = fileURLToPath(new URL('../../bin/tollgate.js', import.meta.url))
  const child = spawn(process.execPath, [launcher, ...args], {
    env: { ...childEnvironment, CONFIG_DIR: configDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // One that runs where it should have refused to would hold up the test for ever.
    timeout: 120_000,
    killSignal: 'SIGKILL',
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code: typeof code === 'number' ? code : null, stdout, stderr }
}
