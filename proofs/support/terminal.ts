import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../test/support/child-environment.ts'
import type { Test } from '../../test/support/database.ts'
import { quietEnv } from '../../test/support/tollgate.ts'

/** The folder of the project. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** `tollgate start` as a person sees it. */
export interface TerminalProcess {
  /** All that the terminal shows so far, with plain line ends. */
  output(): string
  /** Types a line. */
  type(line: string): void
  /** Ends it as Ctrl-C does. */
  stop(): Promise<void>
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>
}

/** Starts everything on its own terminal; `script` of util-linux makes one. */
export function startOnTerminal(t: Test, env: Readonly<Record<string, string>>): TerminalProcess {
  const command = `exec '${process.execPath}' '${join(root, 'src', 'cli', 'main.ts')}' start`
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: root,
    env: { ...childEnvironment, ...quietEnv, SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += String(chunk).replaceAll('\r', '')
  })
  const ended = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return {
    output: () => output,
    ended,
    type(line) {
      child.stdin.write(`${line}\n`)
    },
    async stop() {
      child.stdin.write('\u0003')
      await ended
    },
  }
}
