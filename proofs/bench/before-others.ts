import { spawnSync } from 'node:child_process'

const realTime = ['chrt', '--rr', '1']
const mayBeFirst = spawnSync('chrt', ['--rr', '1', 'true']).status === 0
if (!mayBeFirst)
  process.stderr.write('load and stores have no priority: real time is not allowed\n')

/**
 * Words in front of a command that have it run before everything else on its
 * core. Load, backend and Redis run so: in production, PostgreSQL has a machine
 * of its own, and its bursts would count as the gateway's tail. A nice value is
 * not enough, because the kernel lets a process that runs finish its slice.
 */
export const beforeOthers: readonly string[] = mayBeFirst ? realTime : []

/** The same for a process that runs, with all its threads. */
export function putBeforeOthers(pid: number): void {
  if (mayBeFirst) spawnSync('chrt', ['--all-tasks', '--rr', '--pid', '1', String(pid)])
}
