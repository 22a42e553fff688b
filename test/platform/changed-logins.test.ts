import { writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import { followRedis } from '../../src/compose/live-redis.ts'
import { openDatabase } from '../../src/platform/database/database.ts'
import { openRedis } from '../../src/platform/redis/open-redis.ts'
import { parseRedisAddress } from '../../src/platform/redis/redis-address.ts'
import { createWatchedCopy } from '../../src/platform/settings/watched-files.ts'
import { postgresMissing, startPostgres } from '../support/database.ts'
import { redisMissing, testRedis } from '../support/redis-server.ts'
import { until } from '../support/until.ts'

const lines: string[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })

t.test(
  'a process that has the new password of its database first fails no statement',
  { skip: postgresMissing() },
  async (t) => {
    const server = await startPostgres(t)
    const owner = openDatabase({ url: server.url, log, connectionsMax: 1 })
    t.teardown(() => owner.close())
    const tables = owner.connect()
    const { rows } = await sql<{ file: string }>`
      select current_setting('hba_file') as file`.execute(tables)
    const rules = 'host all app 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n'
    await writeFile(rows[0]?.file ?? '', rules)
    await sql`select pg_reload_conf()`.execute(tables)
    await sql`create role app login password 'one'`.execute(tables)
    const { host } = new URL(server.url)
    const withPassword = (password: string) => `postgres://app:${password}@${host}/postgres`
    const database = openDatabase({ url: withPassword('one'), log })
    t.teardown(() => database.close())
    const app = database.connect()
    /** Statements on as many connections at once. */
    async function burst(size: number): Promise<void> {
      const allRan = Promise.withResolvers<void>()
      let ran = 0
      const run = () =>
        app.connection().execute(async (connection) => {
          await sql`select 1`.execute(connection)
          ran += 1
          if (ran === size) allRan.resolve()
          await allRan.promise
        })
      // One that fails lets the others go.
      const running = Array.from({ length: size }, () => run().finally(allRan.resolve))
      await Promise.all(running)
    }
    await burst(2)

    database.adoptLogin(withPassword('two'))
    await until('the server refuses it', () => lines.join('').includes('does not accept the new'))
    await burst(4)
    t.equal(database.url, withPassword('one'), 'the process is first: the current one stays')
    await sql`alter role app password 'two'`.execute(tables)
    await burst(8)
    t.equal(database.url, withPassword('two'), 'a connection that is needed at once tries it')

    await sql`alter role app password 'three'`.execute(tables)
    database.adoptLogin(withPassword('three'))
    await until('the new login is in use', () => database.url === withPassword('three'))
    await burst(10)
    t.notMatch(lines.join(''), /app:(?:one|two|three)@/, 'no password is in the log')
  },
)

t.test(
  'a connection to Redis uses the newest password when it is made again',
  { skip: redisMissing() },
  async (t) => {
    const server = await testRedis(t)
    await server.cli('ACL', 'SETUSER', 'app', 'on', '>one', '~*', '&*', '+@all')
    const at = (password: string, port = server.port) =>
      `redis://app:${password}@127.0.0.1:${port}/0`
    const secret = createWatchedCopy('')
    let check: (text: string) => void | Promise<void> = () => undefined
    const address = await followRedis(parseRedisAddress(at('one')), {
      follow: async (_setting, options) => {
        check = options.check ?? check
        return { ...secret, addCheck: () => undefined }
      },
    })
    t.throws(() => check(at('two', 1)), /only the user and the password/)
    t.doesNotThrow(() => check(at('two')))
    if (address.topology === 'cluster') throw new Error('one server')
    const { client, close } = openRedis({
      address,
      behaviour: { retryStrategy: () => 20, maxRetriesPerRequest: null },
    })
    t.teardown(close)
    client.on('error', () => undefined)
    t.equal(await client.ping(), 'PONG')

    await server.cli('ACL', 'SETUSER', 'app', '>two')
    secret.take(at('two'))
    await server.cli('ACL', 'SETUSER', 'app', '<one')
    t.equal(await client.ping(), 'PONG', 'the open connection stays')
    await server.cli('CLIENT', 'KILL', 'USER', 'app')
    t.equal(await client.ping(), 'PONG', 'and a new one has the new password')
  },
)
