import { spawnSync } from 'node:child_process'

/** Load runs before PostgreSQL, and what answers it before the load, as the kernel would choose by itself. */
const priorities = { load: 1, service: 2 } as const

let known: boolean | undefined

/** Whether this user may say what runs first; tried once. */
function isAllowed(): boolean {
  known ??= spawnSync('chrt', ['--rr', '1', 'true'], { stdio: 'ignore' }).status === 0
  return known
}

/**
 * The words that begin a command which is to run before everything else on its
 * core. In production, PostgreSQL has a machine of its own, and here its bursts
 * would count as the gateway's tail. A nice value is not enough, because the
 * kernel lets a process that runs finish its slice.
 */
export function beforeOthers(kind: keyof typeof priorities): readonly string[] {
  return isAllowed() ? ['chrt', '--rr', String(priorities[kind])] : []
}

/** The same for a service that runs, with all its threads. @throws when it cannot be had, although it is allowed */
export function putBeforeOthers(pid: number): void {
  if (!isAllowed()) return
  const words = ['--all-tasks', '--rr', '--pid', String(priorities.service), String(pid)]
  const { status, stderr } = spawnSync('chrt', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`chrt ${words.join(' ')}: ${stderr}`)
}

/** How the second core is shared, for the head of a report. */
export function sharing(): string {
  return isAllowed()
    ? 'on it, PostgreSQL runs only while the rest does not'
    : 'on it, PostgreSQL has equal rights: real time is not allowed here'
}
