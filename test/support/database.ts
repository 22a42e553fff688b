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
import { Client } from 'pg'
import { pino } from 'pino'
import { type Database, openDatabase } from '../../src/platform/database/database.ts'
import { startEmbeddedDatabase } from '../../src/platform/database/embedded-database.ts'
import {
  type DatabaseContents,
  databaseTemplate,
  fillDatabase,
  madeOnce,
  nameOfContents,
} from './database-template.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

/** What functions need of a test: where to undo, and where to say something. */
export interface Test {
  teardown(undo: () => unknown): void
  comment(...texts: string[]): void
}

export interface TestDatabase {
  readonly database: Database
  /** For processes that a test starts. */
  readonly url: string
}

/** An embedded one. */
export interface TestEmbedded extends TestDatabase {
  /** Ends it while clients are connected. */
  stop(): Promise<void>
}

const silent = pino({ level: 'silent' })

/**
 * A fresh database, deleted with the test; by default with the sandbox of today.
 * It lies on a real PostgreSQL that the tests of this process share, because
 * that takes a tenth of the time; where none is installed, it is an embedded one.
 */
export async function testDatabase(
  t: Test,
  contents: DatabaseContents = { seededAt: Date.now() },
): Promise<TestDatabase> {
  shared ??= startShared()
  const server = await shared
  return server === undefined ? testEmbedded(t, contents) : server.create(t, contents)
}

/** A fresh embedded database, gone with the test. */
export async function testEmbedded(t: Test, contents?: DatabaseContents): Promise<TestEmbedded> {
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

/** The databases that Tollgate runs on, for a suite that runs on each. */
export const eachDatabase = [
  { name: 'embedded', open: testEmbedded, skip: false },
  { name: 'PostgreSQL', open: testDatabase, skip: postgresMissing() },
] as const

interface SharedServer {
  create(t: Test, contents: DatabaseContents): Promise<TestDatabase>
}

/** Undefined in it: no PostgreSQL is installed. */
let shared: Promise<SharedServer | undefined> | undefined

/** It ends with the process. */
async function startShared(): Promise<SharedServer | undefined> {
  if (postgresMissing() !== false) return undefined
  const undone: Test = { teardown: () => undefined, comment: () => undefined }
  const { url } = await startPostgres(undone, { isBackground: true })
  const templates = new Map<string, Promise<string>>()
  let made = 0

  const urlOf = (name: string) => url.replace(/postgres$/, name)

  async function fill(name: string, contents: DatabaseContents): Promise<string> {
    await administer(url, `create database ${name}`)
    const database = openDatabase({ url: urlOf(name), log: silent })
    await fillDatabase(database, contents)
    await database.close()
    return name
  }

  function template(contents: DatabaseContents): Promise<string> {
    const name = nameOfContents(contents)
    const found = templates.get(name) ?? fill(`filled_${templates.size}`, contents)
    templates.set(name, found)
    return found
  }

  return {
    async create(t, contents) {
      made += 1
      const name = `test_${made}`
      await administer(url, `create database ${name} template ${await template(contents)}`)
      const database = openDatabase({ url: urlOf(name), log: silent })
      t.teardown(async () => {
        await database.close()
        await administer(url, `drop database ${name} with (force)`)
      })
      return { database, url: urlOf(name) }
    },
  }
}

/**
 * A data folder with a copied database in which an embedded one starts at once; by default, the sandbox is that of today.
 */
export async function testDataDir(
  t: Test,
  contents: DatabaseContents = { seededAt: Date.now() },
): Promise<string> {
  const dataDir = testFolder(t)
  cpSync(await databaseTemplate(contents), join(dataDir, 'database'), { recursive: true })
  return dataDir
}

/** An empty temporary folder, gone with the test. */
export function testFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'tg-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A real PostgreSQL on a temporary folder and a free port of 127.0.0.1. */
export interface PostgresServer {
  readonly url: string
  start(): Promise<void>
  /** As a crash does: no shutdown checkpoint, connections cut. */
  stop(): Promise<void>
  /** In order: connections are cut, and standbys get everything. */
  shutDown(): Promise<void>
  /** Starts as a standby of another server. */
  follow(primary: PostgresServer): Promise<void>
  /** Makes a standby the primary. */
  promote(): Promise<void>
  /** SIGSTOP and SIGCONT of every process of the server: it accepts connections and answers nothing. */
  freeze(): void
  thaw(): void
}

/** Says why tests that need a real PostgreSQL cannot run here, for the option `skip` of a test; false when they can. */
export function postgresMissing(): string | false {
  return postgresBin() === undefined && 'PostgreSQL is not installed'
}

/**
 * Starts a real PostgreSQL for the test.
 *
 * @throws when none is installed; {@link postgresMissing} skips a test there
 */
export async function startPostgres(
  t: Test,
  {
    tls,
    connectionsMax = 200,
    isBackground = false,
  }: {
    readonly tls?: { readonly cert: string; readonly key: string }
    readonly connectionsMax?: number
    /** The process may end while it runs, which ends it. */
    readonly isBackground?: boolean
  } = {},
): Promise<PostgresServer> {
  const bin = postgresBin()
  if (bin === undefined) throw new Error('PostgreSQL is not installed')
  const identity = unprivileged()
  const folder = mkdtempSync(join(tmpdir(), 'tg-pg-'))
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid)
  const data = join(folder, 'data')
  execFileSync('cp', ['-a', await clusterTemplate(bin, identity), data], {
    ...identity,
    cwd: folder,
    stdio: 'ignore',
  })
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
  const server = serverOver(t, { bin, identity, folder, port: await freePort(), isBackground }, [
    '-c',
    `max_connections=${connectionsMax}`,
    ...(tls === undefined ? [] : tlsArgs),
  ])
  await server.start()
  return server
}

/**
 * Starts a standby that replays what the primary writes.
 *
 * @param options.isSynchronous the primary answers a commit only once the standby has it
 */
export async function startStandby(
  t: Test,
  primary: PostgresServer,
  { isSynchronous = false }: { readonly isSynchronous?: boolean } = {},
): Promise<PostgresServer> {
  const bin = postgresBin()
  if (bin === undefined) throw new Error('PostgreSQL is not installed')
  const identity = unprivileged()
  const folder = mkdtempSync(join(tmpdir(), 'tg-pg-'))
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid)
  const { port } = new URL(primary.url)
  execFileSync(
    join(bin, 'pg_basebackup'),
    ['-h', '127.0.0.1', '-p', port, '-U', 'postgres', '-D', join(folder, 'data'), '-c', 'fast'],
    { ...identity, cwd: folder, stdio: 'ignore' },
  )
  const standby = serverOver(t, { bin, identity, folder, port: await freePort() }, [
    '-c',
    'max_connections=200',
  ])
  await standby.follow(primary)
  if (isSynchronous) {
    await administer(primary.url, "alter system set synchronous_standby_names = '*'")
    await administer(primary.url, 'select pg_reload_conf()')
  }
  return standby
}

/** Runs statements as the superuser, and returns the first row of the last one. */
export async function administer(
  url: string,
  statements: string,
): Promise<Record<string, unknown>> {
  // Long: a server that makes a database for another test may not accept connections for a second.
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return [await client.query(statements)].flat().at(-1)?.rows[0] ?? {}
  } finally {
    await client.end()
  }
}

/** A server over the folder `data` in this one, not started yet. */
function serverOver(
  t: Test,
  {
    bin,
    identity,
    folder,
    port,
    isBackground = false,
  }: {
    readonly bin: string
    readonly identity: Identity | undefined
    readonly folder: string
    readonly port: number
    readonly isBackground?: boolean
  },
  settings: readonly string[],
): PostgresServer {
  const data = join(folder, 'data')
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const listening = ['-p', String(port), '-h', '127.0.0.1', '-k', folder]
  let server: ReturnType<typeof spawn> | undefined

  async function start(more: readonly string[] = []): Promise<void> {
    server = spawn(join(bin, 'postgres'), ['-D', data, ...listening, '-F', ...settings, ...more], {
      ...identity,
      cwd: folder,
      stdio: 'ignore',
    })
    if (isBackground) server.unref()
    await until('PostgreSQL answers', async () => {
      await administer(url, 'select 1')
      return true
    })
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const running = server
    if (running === undefined || running.exitCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    signalAll('SIGCONT')
    running.kill(signal)
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
    await end('SIGQUIT')
    process.off('exit', killNow)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return {
    url,
    start,
    stop: () => end('SIGQUIT'),
    shutDown: () => end('SIGINT'),
    async follow(primary) {
      const signal = join(data, 'standby.signal')
      writeFileSync(signal, '')
      if (identity !== undefined) chownSync(signal, identity.uid, identity.gid)
      const { hostname, port, username } = new URL(primary.url)
      await start(['-c', `primary_conninfo=host=${hostname} port=${port} user=${username}`])
    },
    promote: async () => void (await administer(url, 'select pg_promote()')),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
  }
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

/** A fresh real PostgreSQL and its empty database. @throws when none is installed */
export async function testPostgres(t: Test): Promise<TestDatabase> {
  const server = await startPostgres(t)
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
export function unprivileged(): Identity | undefined {
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
