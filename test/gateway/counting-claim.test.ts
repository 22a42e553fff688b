import t from 'tap'
import { postgresMissing, startPostgres, testDataDir } from '../support/database.ts'
import { fleetMissing, productionEnv } from '../support/fleet.ts'
import { startRedisServer } from '../support/redis-server.ts'
import { spawnTollgate, testConfigDir } from '../support/tollgate.ts'

t.test(
  '(14) gateways on one PostgreSQL that do not share their counters are refused at start; a killed one bars nobody',
  { skip: postgresMissing() },
  async (t) => {
    const postgres = await startPostgres(t)
    if (postgres === undefined) throw new Error('PostgreSQL is not installed')
    const env = {
      ...productionEnv(),
      DATABASE_URL: postgres.url,
      BACKEND_URL: 'http://127.0.0.1:9',
      CONFIG_DIR: testConfigDir(t),
    }
    const alone = { ...env, DATA_DIR: await testDataDir(t) }
    const first = await spawnTollgate(t, ['gateway'], alone)

    const second = { ...env, DATA_DIR: await testDataDir(t) }
    await t.rejects(spawnTollgate(t, ['gateway'], second), {
      message: /ended with 1: .*REDIS_URL: is required: another gateway process/,
    })
    first.signal('SIGKILL')
    await first.ended
    const successor = await spawnTollgate(t, ['gateway'], second)
    successor.signal('SIGTERM')
    t.equal(await successor.ended, 0)
  },
)

t.test(
  'a gateway that counts by itself is refused beside those that share, which may be many',
  { skip: fleetMissing() },
  async (t) => {
    const postgres = await startPostgres(t)
    if (postgres === undefined) throw new Error('PostgreSQL is not installed')
    const redis = await startRedisServer()
    t.teardown(() => redis.stop())
    const env = {
      ...productionEnv(),
      DATABASE_URL: postgres.url,
      BACKEND_URL: 'http://127.0.0.1:9',
      CONFIG_DIR: testConfigDir(t),
    }
    await spawnTollgate(t, ['gateway'], { ...env, REDIS_URL: redis.url })
    await spawnTollgate(t, ['gateway'], { ...env, REDIS_URL: redis.url })
    const alone = { ...env, DATA_DIR: await testDataDir(t) }
    await t.rejects(spawnTollgate(t, ['gateway'], alone), {
      message: /ended with 1: .*REDIS_URL: is required: another gateway process/,
    })
  },
)
