import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  administer,
  type PostgresServer,
  type Test,
  unprivileged,
} from '../../test/support/database.ts'
import { freePort } from '../../test/support/free-port.ts'

const program = '/usr/sbin/pgbouncer'

/** Says why tests with a pooler cannot run here, for the option `skip` of a test; false when they can. */
export function poolerMissing(): string | false {
  return !existsSync(program) && 'PgBouncer is not installed'
}

/**
 * Starts PgBouncer in front of a server. It lends a connection for one
 * transaction.
 *
 * @param poolSize connections to the server
 * @returns the URL of the database through it
 */
export async function startPooler(
  t: Test,
  postgres: PostgresServer,
  { poolSize }: { readonly poolSize: number },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tg-pooler-'))
  const identity = unprivileged()
  const { port, username } = new URL(postgres.url)
  const listenPort = await freePort()
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${folder}/users`,
    'pool_mode = transaction',
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 500',
  ]
  for (const [name, text] of [
    ['users', `"${username}" ""\n`],
    ['settings', `${lines.join('\n')}\n`],
  ] as const) {
    writeFileSync(join(folder, name), text)
    if (identity !== undefined) chownSync(join(folder, name), identity.uid, identity.gid)
  }
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid)
  const pooler = spawn(program, ['-q', join(folder, 'settings')], {
    ...identity,
    cwd: folder,
    stdio: 'inherit',
  })
  const killNow = () => pooler.kill('SIGKILL')
  process.once('exit', killNow)
  t.teardown(async () => {
    const ended = new Promise((resolve) => pooler.once('exit', resolve))
    if (pooler.exitCode === null && killNow()) await ended
    process.off('exit', killNow)
    rmSync(folder, { recursive: true })
  })
  const url = postgres.url.replace(`:${port}/`, `:${listenPort}/`)
  for (let attempt = 0; ; attempt += 1) {
    try {
      await administer(url, 'select 1')
      return url
    } catch (error) {
      if (attempt === 100) throw error
      await delay(50)
    }
  }
}
