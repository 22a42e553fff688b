import { execFileSync, spawn } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { pino } from 'pino'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import { startEmbeddedDatabase } from '../../src/platform/embedded-database.ts'
import { type DatabaseContents, databaseTemplate, madeOnce } from './database-template.ts'
import { freePort } from './free-port.ts'

/** What these functions need of a test: where to undo, and how to say that something is missing. */
export interface Test {
  teardown(undo: () => unknown): void
  comment(...texts: string[]): void
}

export interface TestDatabase {
  readonly database: Database
  /** For processes that a test starts. */
  readonly url: string
  /** Ends the server under those who are connected, if the test may. */
  readonly stop?: () => Promise<void>
}

const silent = pino({ level: 'silent' })

/** A fresh embedded database, gone with the test. */
export async function testDatabase(t: Test, contents?: DatabaseContents): Promise<TestDatabase> {
  const dataDir = await testDataDir(t, contents)
  const embedded = await startEmbeddedDatabase({ dataDir, log: silent })
  const database = openDatabase({ url: embedded.url, log: silent })
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => (stopping ??= embedded.close())
  t.teardown(async () => {
    await database.close()
    await stop()
  })
  return { database, url: embedded.url, stop }
}

/** A data folder with a copied database in which an embedded one starts at once; unless told, the sandbox is that of today. */
export async function testDataDir(
  t: Test,
  contents: DatabaseContents = { seededAt: Date.now() },
): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tg-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  cpSync(await databaseTemplate(contents), join(dataDir, 'database'), { recursive: true })
  return dataDir
}

/** A real PostgreSQL on a temporary folder and a free port of 127.0.0.1. */
export interface PostgresServer {
  readonly url: string
  start(): Promise<void>
  /** As a crash does: no shutdown checkpoint, connections cut. */
  stop(): Promise<void>
  /** SIGSTOP and SIGCONT of every process of the server: it accepts connections and answers nothing. */
  freeze(): void
  thaw(): void
}

/**
 * Says why tests that need a real PostgreSQL cannot run here, for the option
 * `skip` of a test; false when they can. With REQUIRE_SERVICES=1 nothing is
 * skipped: the tests run, and fail for want of a server.
 */
export function postgresMissing(): string | false {
  if (process.env['REQUIRE_SERVICES'] === '1' || postgresBin() !== undefined) return false
  return 'PostgreSQL is not installed'
}

/**
 * Starts a real PostgreSQL for the test, or returns undefined with a comment
 * where none is installed.
 *
 * @throws when none is installed and REQUIRE_SERVICES=1
 */
export async function startPostgres(
  t: Test,
  { tls }: { readonly tls?: { readonly cert: string; readonly key: string } } = {},
): Promise<PostgresServer | undefined> {
  const bin = postgresBin()
  if (bin === undefined) {
    if (process.env['REQUIRE_SERVICES'] === '1') throw new Error('PostgreSQL is not installed')
    t.comment('SKIPPED: PostgreSQL is not installed')
    return undefined
  }
  const identity = unprivileged()
  const folder = mkdtempSync(join(tmpdir(), 'tg-pg-'))
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid)
  const data = join(folder, 'data')
  const options = { ...identity, cwd: folder, stdio: 'ignore' } as const
  execFileSync('cp', ['-a', await clusterTemplate(bin, identity), data], options)
  const tlsArgs = [
    '-c',
    'ssl=on',
    '-c',
    `ssl_cert_file=${folder}/cert`,
    '-c',
    `ssl_key_file=${folder}/key`,
  ]
  for (const [name, content] of Object.entries(tls ?? {})) {
    const file = join(folder, name)
    writeFileSync(file, content, { mode: 0o600 })
    if (identity !== undefined) chownSync(file, identity.uid, identity.gid)
  }
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server: ReturnType<typeof spawn> | undefined

  async function start(): Promise<void> {
    server = spawn(
      join(bin ?? '', 'postgres'),
      [
        '-D',
        data,
        '-p',
        String(port),
        '-h',
        '127.0.0.1',
        '-k',
        folder,
        '-F',
        '-c',
        'max_connections=200',
        ...(tls === undefined ? [] : tlsArgs),
      ],
      options,
    )
    for (let attempt = 0; ; attempt++) {
      const client = new Client({ connectionString: url, connectionTimeoutMillis: 1000 })
      try {
        await client.connect()
        await client.end()
        return
      } catch (error) {
        if (attempt === 200) throw error
        await delay(50)
      }
    }
  }

  async function stop(): Promise<void> {
    const running = server
    if (running === undefined || running.exitCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    signalAll('SIGCONT')
    running.kill('SIGQUIT')
    await ended
  }

  function signalAll(signal: NodeJS.Signals): void {
    for (const pid of [server?.pid ?? 0, ...childrenOf(server?.pid ?? 0)]) {
      try {
        process.kill(pid, signal)
      } catch {
        // It ended between the look and the signal.
      }
    }
  }

  // A test process that ends without its teardowns leaves no server behind.
  const killNow = () => server?.kill('SIGQUIT')
  process.once('exit', killNow)
  t.teardown(async () => {
    await stop()
    process.off('exit', killNow)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  await start()
  return { url, start, stop, freeze: () => signalAll('SIGSTOP'), thaw: () => signalAll('SIGCONT') }
}

/** The data folder of a real PostgreSQL that never ran, to copy: initdb takes longer than most tests. */
function clusterTemplate(bin: string, identity: Identity | undefined): Promise<string> {
  const version = basename(dirname(bin))
  return madeOnce(`tollgate-postgres-${version}-${process.getuid?.() ?? 0}`, async (folder) => {
    const fresh = mkdtempSync(join(tmpdir(), 'tg-pg-'))
    if (identity !== undefined) chownSync(fresh, identity.uid, identity.gid)
    const data = join(fresh, 'data')
    try {
      execFileSync(
        join(bin, 'initdb'),
        ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', '-E', 'UTF8', '--no-locale'],
        { ...identity, cwd: fresh, stdio: 'ignore' },
      )
      renameSync(data, folder)
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  })
}

/** Like {@link testDatabase} on a real PostgreSQL; undefined where none is installed. */
export async function testPostgres(t: Test): Promise<TestDatabase | undefined> {
  const server = await startPostgres(t)
  if (server === undefined) return undefined
  const database = openDatabase({ url: server.url, log: silent })
  t.teardown(() => database.close())
  return { database, url: server.url }
}

function postgresBin(): string | undefined {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return undefined
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a))
  return versions
    .map((version) => join(root, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
}

interface Identity {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root; then it runs as the user its package made. */
function unprivileged(): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function childrenOf(pid: number): number[] {
  const out = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return out
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child = 0]) => child)
}
