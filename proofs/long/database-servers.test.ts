import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type Kysely, sql } from 'kysely'
import { Pool } from 'pg'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { isOutage, openDatabase } from '../../src/platform/database/database.ts'
import { createLogins } from '../../src/platform/database/database-logins.ts'
import { createDatabaseServers } from '../../src/platform/database/database-servers.ts'
import {
  administer,
  postgresMissing,
  startPostgres,
  startStandby,
} from '../../test/support/database.ts'
import { until } from '../../test/support/until.ts'

const log = pino({ level: 'silent' })
const skip = postgresMissing()

/** Listens on 127.0.0.1 until the test ends. @returns the port */
async function listenFor(t: Test, server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => void sockets.add(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

/** A connection of a proxy that ends with the one it serves. */
function connectFor(served: Socket, port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  served.once('close', () => socket.destroy())
  return socket
}

const named = (url: string, others: string) => url.replace(/(?=\/postgres$)/, `,${others}`)
const at = (url: string, port: number) => url.replace(/:\d+(?=\/postgres$)/, `:${port}`)
const portOf = (url: string) => Number(new URL(url).port)

async function ask<Value>(db: Kysely<unknown>, expression: string): Promise<Value | undefined> {
  const { rows } = await sql<{ value: Value }>`select ${sql.raw(expression)} as value`.execute(db)
  return rows[0]?.value
}

const port = (db: Kysely<unknown>) => ask<number>(db, 'inet_server_port()')

t.test('a full pool is no failover: no other server is asked', { skip }, async (t) => {
  const server = await startPostgres(t)
  let asked = 0
  const other = await listenFor(
    t,
    createServer((socket) => {
      asked += 1
      socket.destroy()
    }),
  )
  const url = named(server.url, `127.0.0.1:${other}`)
  const database = openDatabase({ url, log, connectionsMax: 1, connectTimeoutMs: 300 })
  t.teardown(() => database.close())
  const db = database.connect<unknown>()
  // The first connection may take longer than the pool waits, and would have every server asked.
  await until('the pool has its connection', () =>
    ask(db, '1').then(
      () => true,
      () => false,
    ),
  )
  asked = 0
  const slow = ask(db, 'pg_sleep(1)')
  await t.rejects(ask(db, '1'), { message: 'timeout exceeded when trying to connect' })
  await slow
  t.equal(asked, 0)
  await server.stop()
  await t.rejects(ask(db, '1'))
  t.equal(asked, 1, 'a connection that fails has every server asked')
})

t.test(
  'when one connection learns that its server accepts no writes, none from before is used again',
  { skip },
  async (t) => {
    const server = await startPostgres(t)
    await administer(server.url, 'create table one (n int)')
    // As behind a pooler, which keeps its clients when it changes to another server: a server of ours is demoted only by a
    // restart, which cuts them.
    await administer(
      server.url,
      `create function public.pg_is_in_recovery() returns boolean language sql
        return current_setting('default_transaction_read_only') = 'on'`,
    )
    await administer(server.url, 'alter system set search_path = public, pg_catalog')
    await administer(server.url, 'select pg_reload_conf()')
    const database = openDatabase({ url: server.url, log, connectionsMax: 3 })
    t.teardown(() => database.close())
    const db = database.connect<unknown>()
    const before = await Promise.all([1, 2, 3].map(() => pidAfter(db)))
    t.equal(new Set(before).size, 3)
    await administer(server.url, 'alter system set default_transaction_read_only = on')
    await administer(server.url, 'select pg_reload_conf()')
    const insert = (on: Kysely<unknown>) => sql`insert into one values (1)`.execute(on)
    await until('a write is refused', () =>
      db
        .transaction()
        .execute(insert)
        .then(
          () => false,
          () => true,
        ),
    )
    await until('the standby is refused', () =>
      insert(db).then(
        () => false,
        (error: Error) => error.name === 'StandbyServer',
      ),
    )
    await administer(server.url, 'alter system reset default_transaction_read_only')
    await administer(server.url, 'select pg_reload_conf()')
    const after = await Promise.all([1, 2, 3].map(() => pidAfter(db)))
    t.same(
      after.filter((each) => before.includes(each)),
      [],
    )
  },
)

t.test('a pool that has only outdated connections fails in time', async (t) => {
  const url = 'postgres://127.0.0.1:9/none'
  const servers = createDatabaseServers({ url, log })
  const logins = createLogins({ url, servers, applicationName: 'test', log })
  t.teardown(() => logins.close())
  const client = Object.assign(new logins.Client(), {
    query: async () => ({ rows: [{ isStandby: true }] }),
    release: () => undefined,
  })
  await logins.suspect(client)
  t.ok(logins.isOutdated(client))
  const pool = new Pool({ connectionTimeoutMillis: 50 })
  const outdated = Object.assign(pool, { connect: async () => client })
  await t.rejects(logins.connect(outdated), {
    message: 'timeout exceeded when trying to connect',
  })
})

/** Takes long enough for others to need connections of their own. */
async function pidAfter(db: Kysely<unknown>): Promise<number | undefined> {
  return ask<number>(db, '(select pg_backend_pid() from pg_sleep(0.3))')
}

t.test(
  'a connection that began with a login is not kept when another login has replaced it meanwhile',
  { skip },
  async (t) => {
    const server = await startPostgres(t)
    await administer(server.url, 'create role one superuser login')
    await administer(server.url, 'create role two superuser login')
    const held: (() => void)[] = []
    let isHolding = true
    const proxy = await listenFor(
      t,
      createServer((socket) => {
        const go = () => {
          const on = connectFor(socket, portOf(server.url))
          socket.pipe(on).pipe(socket)
        }
        if (isHolding) held.push(go)
        else go()
        isHolding = false
      }),
    )
    const as = (role: string) => at(server.url, proxy).replace('postgres@', `${role}@`)
    const database = openDatabase({ url: as('one'), log, connectionsMax: 1 })
    t.teardown(() => database.close())
    const db = database.connect<unknown>()
    const begun = ask(db, 'current_user')
    await until('the connection begins', () => held.length === 1)
    database.adoptLogin(as('two'))
    await until('the new login is in use', () => database.url === as('two'))
    for (const go of held) go()
    await begun
    t.equal(await ask(db, 'current_user'), 'two')
  },
)

t.test(
  'work apart begins or fails in time at a server that takes the login and answers nothing more',
  { skip },
  async (t) => {
    const server = await startPostgres(t)
    const proxy = await listenFor(
      t,
      createServer((socket) => {
        const on = connectFor(socket, portOf(server.url))
        socket.once('data', (startup) => on.write(startup))
        on.pipe(socket)
      }),
    )
    const database = openDatabase({ url: at(server.url, proxy), log, connectTimeoutMs: 300 })
    t.teardown(() => database.close())
    const error = await database.apart((db) => ask(db, '1')).catch((error: unknown) => error)
    t.match(error, { name: 'StatementTimeout' })
    t.ok(isOutage(error))
  },
)

t.test('a pool that is followed no more keeps its login', { skip }, async (t) => {
  const server = await startPostgres(t)
  await administer(server.url, 'create role two superuser login')
  const two = server.url.replace('postgres@', 'two@')
  const servers = createDatabaseServers({ url: server.url, log })
  const logins = createLogins({ url: server.url, servers, applicationName: 'test', log })
  t.teardown(() => logins.close())
  const [followed, left] = [new Pool(), new Pool()]
  logins.follow(followed)
  logins.follow(left)()
  logins.adopt(two)
  await until('the new login is in use', () => logins.current() === two)
  t.match(followed.options, { connectionString: two })
  t.equal(left.options.connectionString, undefined)
})

t.test(
  'of two servers that both say they are the primary, the one in use stays, even when the other one returns',
  { skip },
  async (t) => {
    const [one, two] = await Promise.all([startPostgres(t), startPostgres(t)])
    const url = named(one.url, `127.0.0.1:${portOf(two.url)}`)
    const servers = createDatabaseServers({ url, log })
    const used = () => portOf(servers.pick(url))
    t.equal(await servers.find([url]), false)
    t.equal(used(), portOf(one.url))
    await one.stop()
    await until('the other one is found', () => servers.find([url]))
    t.equal(used(), portOf(two.url))
    await one.start()
    t.equal(await servers.find([url]), false)
    t.equal(used(), portOf(two.url))
  },
)

t.test('slow statements of a primary that answers search ever more rarely', { skip }, async (t) => {
  const [one, two] = await Promise.all([startPostgres(t), startPostgres(t)])
  const url = named(one.url, `127.0.0.1:${portOf(two.url)}`)
  let time = 0
  const [servers, others, failing, unhinted] = [1, 2, 3, 4].map(() =>
    createDatabaseServers({ url, log, now: () => time }),
  )
  const hint = { isHint: true }
  t.equal(await servers?.find([url], hint), false, 'the first one searches')
  time = 2_000
  t.equal(await servers?.find([url], hint), false, 'and so does one after a rest of 1 to 2 s')
  t.equal(await failing?.find([url], hint), false)
  for (time of [2_000, 2_600, 3_200]) t.equal(await unhinted?.find([url]), false)
  await one.stop()
  t.equal(await others?.find([url], hint), true, 'without a search before, a hint finds it')
  time = 2_900
  t.equal(await failing?.find([url]), true, 'a failure does not wait for the rest of the hints')
  time = 3_990
  t.equal(await unhinted?.find([url], hint), true, 'nor does a hint rest after failures')
  t.equal(await servers?.find([url], hint), false, 'the second rest takes 2 to 4 s')
  time = 6_000
  t.equal(await servers?.find([url], hint), true)
})

t.test(
  'a server that vanishes under a statement is left, though no new connection shows it: a small pool has all its connections in such statements',
  { skip },
  async (t) => {
    const [one, two] = await Promise.all([startPostgres(t), startPostgres(t)])
    const warned: string[] = []
    const database = openDatabase({
      url: named(one.url, `127.0.0.1:${portOf(two.url)}`),
      log: pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) }),
      connectionsMax: 1,
      statementTimeoutMs: 500,
    })
    t.teardown(() => database.close())
    const db = database.connect<unknown>()
    t.equal(await port(db), portOf(one.url))
    one.freeze()
    await t.rejects(port(db), { name: 'StatementTimeout' })
    await until('it is left', () => warned.join('').includes('is the primary now'))
    t.equal(await port(db), portOf(two.url))
  },
)

t.test(
  'a failover during the rotation of a login: the new primary is found with the login that it accepts',
  { skip },
  async (t) => {
    const primary = await startPostgres(t)
    await administer(primary.url, 'create role one superuser login')
    await administer(primary.url, 'create role two superuser login')
    const standby = await startStandby(t, primary, { isSynchronous: true })
    const as = (role: string) =>
      named(primary.url, `127.0.0.1:${portOf(standby.url)}`).replace('postgres@', `${role}@`)
    const database = openDatabase({ url: as('one'), log })
    t.teardown(() => database.close())
    const db = database.connect<unknown>()
    t.equal(await port(db), portOf(primary.url))
    await administer(primary.url, 'alter role one nologin')
    await primary.stop()
    database.adoptLogin(as('two'))
    await standby.promote()
    await until('statements succeed', () =>
      port(db).then(
        (found) => found === portOf(standby.url),
        () => false,
      ),
    )
    t.equal(await ask(db, 'current_user'), 'two')
    t.equal(database.url, as('two'))
  },
)
