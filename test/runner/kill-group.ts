import type { ChildProcess } from 'node:child_process'

/** Kills a program that was started with its own group (`detached`), and what it has started and left. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
