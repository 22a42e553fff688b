import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import { isOutage, openDatabase } from '../../src/platform/database/database.ts'
import { serverUrls } from '../../src/platform/database/database-urls.ts'
import {
  databaseBeside,
  startEmbeddedDatabase,
} from '../../src/platform/database/embedded-database.ts'
import { migrate } from '../../src/platform/database/migrate.ts'
import {
  administer,
  eachDatabase,
  postgresMissing,
  startPostgres,
  startStandby,
  testDataDir,
} from '../support/database.ts'
import { until } from '../support/until.ts'

const log = pino({ level: 'silent' })

for (const { name, open, skip } of eachDatabase) {
  t.test(
    `${name}: values come back as the types the documentation promises`,
    { skip },
    async (t) => {
      const opened = await open(t, 'empty')
      const db = opened.database.connect<unknown>()
      const { rows } = await sql`select 9007199254740991::int8 as big, date '2026-11-20' as day,
      1.10::numeric as amount, ${Buffer.from([0, 255])}::bytea as bytes, now() as at`.execute(db)
      t.match(rows[0], { big: 9007199254740991, day: '2026-11-20', amount: '1.10', at: Date })
      t.match(rows[0], { bytes: Buffer.from([0, 255]) })
      await t.rejects(sql`select 9007199254740993::int8 as big`.execute(db), RangeError)
      t.same((await sql`select 1 as one`.execute(db)).rows, [{ one: 1 }], 'and the next one works')
    },
  )

  t.test(`${name}: statements of many connections keep their own values`, { skip }, async (t) => {
    const opened = await open(t, 'empty')
    const db = opened.database.connect<unknown>()
    // Longer than one read of a socket.
    const padding = 'x'.repeat(150_000)
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const { rows } =
          index % 2 === 0
            ? await sql<{ n: number }>`select ${index}::int as n`.execute(db)
            : await sql<{ n: number }>`select ${index}::int as n, length(${padding}) as l`.execute(
                db,
              )
        return rows[0]?.n
      }),
    )
    t.same(answers, [...answers.keys()])
  })

  t.test(`${name}: transactions of many connections are whole`, { skip }, async (t) => {
    const opened = await open(t, 'empty')
    const db = opened.database.connect<unknown>()
    await sql`create table total (n int not null)`.execute(db)
    await sql`insert into total values (0)`.execute(db)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        db.transaction().execute(async (trx) => {
          await sql`update total set n = n + ${1}`.execute(trx)
          if (index % 4 === 0) throw new Error('rolled back')
          if (index % 4 === 1) await sql`select 1 / ${0}::int`.execute(trx)
        }),
      ),
    )
    t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 20)
    t.same((await sql`select n from total`.execute(db)).rows, [{ n: 20 }])
  })

  t.test(`${name}: processes that start together run each migration once`, { skip }, async (t) => {
    const opened = await open(t, 'empty')
    const first = {
      async up(db: Kysely<unknown>) {
        await sql`create table one (n int)`.execute(db)
      },
    }
    const second = {
      async up(db: Kysely<unknown>) {
        await sql`insert into one values (1)`.execute(db)
      },
    }
    const run = async (url: string, migrations: Parameters<typeof migrate>[1]['migrations']) => {
      const database = openDatabase({ url, log })
      const ran = await migrate(database, { name: 'registry', migrations })
      await database.close()
      return ran
    }
    // On the embedded database that is a gateway and the commands beside it.
    const starters = 5
    const ran = await Promise.all(
      Array.from({ length: starters }, () => run(opened.url, { '0001-first': first })),
    )
    t.same(ran.flat(), ['0001-first'])
    await t.rejects(
      run(opened.url, {
        '0001-first': first,
        '0002-second': second,
        '0003-wrong': { up: async (db: Kysely<unknown>) => void (await sql`select x`.execute(db)) },
      }),
      { message: 'migration 0003-wrong failed' },
    )
    t.same(await run(opened.url, { '0001-first': first, '0002-second': second }), ['0002-second'])
    const db = opened.database.connect<unknown>()
    t.same(
      (await sql`select n from one`.execute(db)).rows,
      [{ n: 1 }],
      'nothing of a failed run stays',
    )
  })
}

t.test(
  'a database that answers nothing fails in time and heals',
  { skip: postgresMissing() },
  async (t) => {
    const server = await startPostgres(t)
    const database = openDatabase({
      url: server.url,
      log,
      connectionsMax: 1,
      connectTimeoutMs: 500,
      statementTimeoutMs: 300,
    })
    t.teardown(() => database.close())
    const db = database.connect<unknown>()
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    await sql`select 1`.execute(db)
    server.freeze()
    const hung = t.rejects(sql`select 2`.execute(db), { name: 'StatementTimeout' })
    await until('it is asked', () => database.load().busy === 1)
    mock.timers.tick(300)
    await hung
    const unconnected = t.rejects(sql`select 3`.execute(db), /timeout/)
    await until('the pool makes another connection', () => database.load().busy === 1)
    t.equal(database.load().waiting, 0, 'it does not wait for the hung one')
    mock.timers.tick(500)
    await unconnected
    server.thaw()
    t.same((await sql`select 4 as n`.execute(db)).rows, [{ n: 4 }])
    await t.rejects(
      db.transaction().execute(async (trx) => {
        await sql`select 5`.execute(trx)
        // Broken between two statements: the second fails and the process lives.
        await server.stop()
        // The next one reads what its connection left.
        for (const _ of Array(2)) await turn()
        await sql`select 5`.execute(trx)
      }),
    )
    await t.rejects(sql`select 5`.execute(db))
    await server.start()
    t.same((await sql`select 6 as n`.execute(db)).rows, [{ n: 6 }])
  },
)

t.test(
  'a connection may take seconds while a process starts, and one second from then on',
  { skip: postgresMissing() },
  async (t) => {
    const server = await startPostgres(t)
    const database = openDatabase({ url: server.url, log })
    t.teardown(() => database.close())
    const db = database.connect<unknown>()
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    server.freeze()
    const slow = sql`select 1 as n`.execute(db)
    await until('a connection is made', () => database.load().busy === 1)
    mock.timers.tick(9_999)
    server.thaw()
    t.same((await slow).rows, [{ n: 1 }])
    database.endStartup()
    server.freeze()
    t.teardown(() => server.thaw())
    const both = [sql`select 2`.execute(db), sql`select 3`.execute(db)]
    const failed = t.rejects(Promise.race(both), {
      message: 'timeout exceeded when trying to connect',
    })
    await until('one more connection is made', () => database.load().busy === 2)
    mock.timers.tick(1_000)
    await failed
    server.thaw()
    await Promise.allSettled(both)
  },
)

/** A message of the PostgreSQL protocol. */
function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(`${type}0000${body}`)
  bytes.writeInt32BE(bytes.length - 1, 1)
  return bytes
}

async function rawConnection(dataDir: string) {
  const socket = connect(`${dataDir}/.s.PGSQL.5432`)
  const startup = Buffer.from('\0\0\0\0\0\x03\0\0user\0postgres\0database\0postgres\0\0')
  startup.writeInt32BE(startup.length, 0)
  socket.write(startup)
  await once(socket, 'data')
  return socket
}

t.test('a start after one that was killed while it made the database makes it anew', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tg-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  mkdirSync(join(dataDir, 'database.newAbCdEf', 'base'), { recursive: true })
  writeFileSync(join(dataDir, 'database.newAbCdEf', 'PG_VERSION'), '18')
  const embedded = await startEmbeddedDatabase({ dataDir, log })
  const database = openDatabase({ url: embedded.url, log })
  t.teardown(async () => {
    await database.close()
    await embedded.close()
  })
  t.same((await sql`select 1 as n`.execute(database.connect())).rows, [{ n: 1 }])
  t.same(
    readdirSync(dataDir).filter((name) => name.startsWith('database')),
    ['database'],
  )
})

t.test('a database made with a larger cache takes no more memory than another', async (t) => {
  const dataDir = await testDataDir(t, 'empty')
  const file = join(dataDir, 'database', 'postgresql.conf')
  const larger = readFileSync(file, 'utf8').replace(
    /^shared_buffers = \w+/m,
    'shared_buffers = 128MB',
  )
  writeFileSync(file, larger)
  const embedded = await startEmbeddedDatabase({ dataDir, log })
  const database = openDatabase({ url: embedded.url, log })
  t.teardown(async () => {
    await database.close()
    await embedded.close()
  })
  const { rows } = await sql`show shared_buffers`.execute(database.connect())
  t.same(rows, [{ shared_buffers: '16MB' }])
})

t.test('an exchange that arrives in pieces is not bound to the statement of another', async (t) => {
  const dataDir = await testDataDir(t)
  const embedded = await startEmbeddedDatabase({ dataDir, log })
  const database = openDatabase({ url: embedded.url, log })
  t.teardown(async () => {
    await database.close()
    await embedded.close()
  })
  const db = database.connect<unknown>()
  await sql`select ${1}::int`.execute(db)
  const slow = await rawConnection(dataDir)
  slow.write(message('P', "\0select 'mine' as a\0\0\0"))
  await once(slow, 'data')
  const other = sql`select ${'other'} as a`.execute(db)
  await until('the other one is sent', () => database.load().busy === 1)
  slow.write(
    Buffer.concat([message('B', '\0'.repeat(8)), message('E', '\0'.repeat(5)), message('S', '')]),
  )
  let answer = ''
  slow.on('data', (data) => {
    answer += String(data)
  })
  t.same((await other).rows, [{ a: 'other' }])
  t.match(answer, 'mine')
  slow.destroy()
})

t.test(
  'a connection that breaks during an exchange or a transaction does not affect others',
  async (t) => {
    const dataDir = await testDataDir(t)
    const embedded = await startEmbeddedDatabase({ dataDir, log })
    const database = openDatabase({ url: embedded.url, log })
    t.teardown(async () => {
      await database.close()
      await embedded.close()
    })
    const db = database.connect<unknown>()
    await sql`create table kept (n int)`.execute(db)
    for (const half of [
      [message('P', '\0select 1\0\0\0')],
      [message('P', '\0select broken from nowhere\0\0\0')],
      [message('Q', 'begin; insert into kept values (1)\0')],
      [message('Q', 'begin; select 1/0\0')],
    ]) {
      const socket = await rawConnection(dataDir)
      socket.write(Buffer.concat(half))
      await once(socket, 'data')
      socket.destroy()
      t.same((await sql`select count(*) as n from kept where ${1} = 1`.execute(db)).rows, [
        { n: 0 },
      ])
    }
  },
)

t.test(
  'a socket left by a killed process is replaced, and a neighbour finds the address',
  async (t) => {
    const dataDir = await testDataDir(t)
    t.equal(await databaseBeside(dataDir), undefined)
    const left = createServer().listen(`${dataDir}/.s.PGSQL.5432`)
    await once(left, 'listening')
    const embedded = await startEmbeddedDatabase({ dataDir, log })
    t.equal(await databaseBeside(dataDir), embedded.url)
    left.close()
    await embedded.close()
    t.equal(await databaseBeside(dataDir), undefined)
  },
)

t.test('a closing database lets its neighbours finish and takes no new ones', async (t) => {
  const dataDir = await testDataDir(t)
  const embedded = await startEmbeddedDatabase({ dataDir, log })
  const database = openDatabase({ url: embedded.url, log })
  let closed: Promise<void> | undefined
  const db = database.connect<unknown>()
  await db.transaction().execute(async (trx) => {
    await sql`create table kept (n int)`.execute(trx)
    closed = embedded.close()
    await until('it takes no new ones', async () => (await databaseBeside(dataDir)) === undefined)
    await sql`insert into kept values (1)`.execute(trx)
  })
  await database.close()
  await closed
  const again = await startEmbeddedDatabase({ dataDir, log })
  const reopened = openDatabase({ url: again.url, log })
  t.same((await sql`select n from kept`.execute(reopened.connect())).rows, [{ n: 1 }])
  await reopened.close()
  await again.close()
})

t.test('a database that breaks down is started again with all it had', async (t) => {
  const dataDir = await testDataDir(t)
  const before = await startEmbeddedDatabase({ dataDir, log })
  const first = openDatabase({ url: before.url, log })
  await sql`create table kept (n int)`.execute(first.connect())
  await sql`insert into kept values (1)`.execute(first.connect())
  await first.close()
  await before.close()
  const reported: string[] = []
  const embedded = await startEmbeddedDatabase({
    dataDir,
    log: { error: (_: unknown, message?: string) => void reported.push(String(message)) },
  })
  const database = openDatabase({ url: embedded.url, log })
  t.teardown(async () => {
    await database.close()
    await embedded.close()
  })
  // A start message without a user, if it is the first one, makes the session inside PGlite end.
  const wrong = connect(`${dataDir}/.s.PGSQL.5432`)
  wrong.write(Buffer.from([0, 0, 0, 9, 0, 3, 0, 0, 0]))
  await once(wrong, 'data')
  await until('it has ended', () => reported.includes('embedded database ended, starting it again'))
  wrong.destroy()
  let rows: unknown
  await until('it answers again', async () => {
    rows = (await sql`select n from kept`.execute(database.connect())).rows
    return true
  })
  t.same(rows, [{ n: 1 }])
})

t.test(
  'a primary that accepts no writes is an outage for them, and its connections stay',
  { skip: postgresMissing() },
  async (t) => {
    const server = await startPostgres(t)
    await administer(server.url, 'create table one (n int)')
    const database = openDatabase({ url: server.url, log, connectionsMax: 1 })
    t.teardown(() => database.close())
    const db = database.connect()
    const insert = () => sql`insert into one values (1)`.execute(db)
    const pid = async () =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid
    const before = await pid()
    // As managed services do when the disk is full.
    await administer(server.url, 'alter system set default_transaction_read_only = on')
    await administer(server.url, 'select pg_reload_conf()')
    let error: unknown
    await until('writes are refused', () =>
      insert().then(
        () => false,
        (refusal) => {
          error = refusal
          return true
        },
      ),
    )
    t.match(error, { code: '25006' })
    t.ok(isOutage(error))
    await t.rejects(insert())
    t.equal(await pid(), before)
  },
)

t.test(
  'a standby is refused, and found to be the primary once it is',
  { skip: postgresMissing() },
  async (t) => {
    const primary = await startPostgres(t)
    const standby = await startStandby(t, primary)
    const alone = openDatabase({ url: standby.url, log })
    t.teardown(() => alone.close())
    await t.rejects(sql`select 1`.execute(alone.connect()), /is a standby: it accepts no writes/)

    const { host } = new URL(standby.url)
    const both = openDatabase({ url: primary.url.replace('@', `@${host},`), log })
    t.teardown(() => both.close())
    const db = both.connect()
    const port = async () =>
      (await sql<{ port: number }>`select inet_server_port() as port`.execute(db)).rows[0]?.port
    t.equal(await port(), Number(new URL(primary.url).port), 'though the standby is named first')
    await primary.stop()
    await standby.promote()
    t.equal(await port(), Number(new URL(standby.url).port))
  },
)

t.test('a URL with several servers is one URL for each', async (t) => {
  t.strictSame(
    serverUrls(
      'postgres://u:p%40@one:5432,two,[::1]:7/t?sslmode=disable&target_session_attrs=primary',
    ),
    [
      'postgres://u:p%40@one:5432/t?sslmode=disable',
      'postgres://u:p%40@two/t?sslmode=disable',
      'postgres://u:p%40@[::1]:7/t?sslmode=disable',
    ],
  )
  t.strictSame(serverUrls('postgresql:///t?target_session_attrs=read-write&host=/run'), [
    'postgresql:///t?host=/run',
  ])
  t.strictSame(serverUrls('postgres://one/t'), ['postgres://one/t'])
  t.strictSame(serverUrls('no URL'), ['no URL'])
})

t.test(
  'a database without a transaction horizon is refused with the reason, and so is one whose horizon stands still',
  { skip: postgresMissing() },
  async (t) => {
    const server = await startPostgres(t)
    const database = openDatabase({ url: server.url, log })
    t.teardown(() => database.close())
    const run = () => migrate(database, { name: 'registry', migrations: {} })
    await run()
    await administer(server.url, 'alter function pg_current_snapshot() rename to not_there')
    await t.rejects(
      run(),
      /^DATABASE_URL: this database has no transaction horizon \(pg_current_snapshot\)/,
    )
    await administer(
      server.url,
      `create function pg_catalog.pg_current_snapshot() returns pg_snapshot language sql as $$ select '3:3:'::pg_snapshot $$`,
    )
    await t.rejects(run(), /no transaction horizon/, 'one that stands still is none')
  },
)
