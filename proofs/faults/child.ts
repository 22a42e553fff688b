import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Test } from '../../test/support/database.ts'

/** Starts one of the programs beside this file; it ends with the scope, and with this process. */
export function startChild(t: Test, program: string, args: readonly string[] = []): ChildProcess {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Ctrl-C is for the parent, which ends them in their order.
    detached: true,
  })
  let isWanted = true
  child.once('exit', (code, signal) => {
    if (isWanted) throw new Error(`${program} ended with ${code ?? signal}`)
  })
  t.teardown(async () => {
    isWanted = false
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
  })
  return child
}
