import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import t from 'tap'
import { startTollgate } from '../../src/main.ts'
import { createLog } from '../../src/platform/log.ts'
import { readSettings, roles } from '../../src/platform/settings.ts'
import { eventually } from '../support/calling.ts'
import { testDataDir } from '../support/database.ts'
import { quietEnv, spawnTollgate, testConfigDir } from '../support/tollgate.ts'

const execute = promisify(execFile)

t.test(
  'the demonstration is shown once, by the first start that becomes ready, and works as pasted',
  { timeout: 90_000 },
  async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    t.teardown(() => taken.close())
    const address = taken.address()
    const port = address !== null && typeof address !== 'string' ? address.port : 0
    const env = { DATA_DIR: await testDataDir(t), CONFIG_DIR: testConfigDir(t) }
    await t.rejects(spawnTollgate(t, [], { ...env, MANAGEMENT_PORT: String(port) }), {
      message: /MANAGEMENT_HOST\/MANAGEMENT_PORT: cannot listen/,
    })

    const second = await spawnTollgate(t, [], env)
    const shown = await eventually(async () => /^ {2}curl .*$/m.test(second.output.stdout))
    t.ok(shown, 'the second start tells')
    const line = /^ {2}(curl .*)$/m.exec(second.output.stdout)?.[1] ?? 'false'
    const pasted = `${line} -s -o /dev/null -w '%{http_code}'`
    const { stdout } = await execute('bash', ['-c', pasted])
    t.equal(stdout, '200')
    second.signal('SIGTERM')
    t.equal(await second.ended, 0)

    const third = await spawnTollgate(t, [], env)
    third.signal('SIGTERM')
    t.equal(await third.ended, 0)
    t.notMatch(third.output.stdout, /curl/)
  },
)

t.test(
  'a start that ended before it could show its key does not lose the demonstration',
  { timeout: 90_000 },
  async (t) => {
    const dataDir = await testDataDir(t)
    const options = {
      settings: readSettings({ ...quietEnv, DATA_DIR: dataDir, CONFIG_DIR: testConfigDir(t) }),
      roles: new Set(roles),
      log: createLog('silent'),
      version: 'test',
    }
    const keyOf = (text = ''): string => /X-API-Key: (tg_\w+)/.exec(text)?.[1] ?? ''
    const first = await startTollgate(options)
    await first.close()
    const second = await startTollgate(options)
    t.teardown(() => second.close())
    t.match(keyOf(second.welcome), /^tg_/)
    t.not(keyOf(second.welcome), keyOf(first.welcome))
    const gateway = /gateway=(\S+)/.exec(second.readyLine)?.[1] ?? ''
    const call = (key: string) =>
      fetch(`${gateway}/v1.7.0/accounts`, { headers: { 'x-api-key': key } })
    t.equal((await call(keyOf(first.welcome))).status, 401, 'a key nobody knows is dead')
    t.not((await call(keyOf(second.welcome))).status, 401)
  },
)
