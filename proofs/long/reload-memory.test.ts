import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { startTollgate } from '../../src/main.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { readSettings, roles } from '../../src/platform/settings/settings.ts'
import { testDataDir } from '../../test/support/database.ts'
import { quietEnv, testConfigDir } from '../../test/support/tollgate.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Bytes of live objects. */
async function liveBytes(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    await delay(30)
    collect()
  }
  return process.memoryUsage().heapUsed
}

t.test(
  'a reload under calls keeps nothing of the configuration before it',
  { timeout: 300_000 },
  async (t) => {
    const configDir = testConfigDir(t)
    const tollgate = await startTollgate({
      settings: readSettings({
        ...quietEnv,
        DATA_DIR: await testDataDir(t),
        CONFIG_DIR: configDir,
      }),
      roles: new Set(roles),
      log: createLog('silent'),
      version: 'test',
      revision: 'test',
      isTerminal: true,
    })
    t.teardown(() => tollgate.close())
    const url = /gateway=(\S+)/.exec(tollgate.readyLine)?.[1] ?? ''
    const key = /X-API-Key: (tg_\w+)/.exec(tollgate.welcome ?? '')?.[1]
    const consentId = /Consent-ID: ([0-9a-f-]{36})/.exec(tollgate.welcome ?? '')?.[1]
    if (key === undefined || consentId === undefined) throw new Error('the welcome shows no call')
    const headers = { 'x-api-key': key, 'consent-id': consentId, 'psu-ip-address': '192.0.2.44' }

    const plan = join(configDir, 'plans', 'default.yaml')
    const text = readFileSync(plan, 'utf8')
    let reloads = 0

    async function reload(times: number): Promise<void> {
      for (let count = 0; count < times; count += 1) {
        // The same content replaces nothing.
        reloads += 1
        writeFileSync(plan, text.replace(/calls: \d+/, `calls: ${1000 + reloads}`))
        const answer = await fetch(`${url}/v1.7.0/accounts`, { headers })
        const body = await answer.text()
        if (answer.status !== 200) t.fail(body)
        if (!(await tollgate.reload())) throw new Error('the configuration is valid')
      }
    }

    // Until then the heap grows by compiled code and its notes, 20 MB.
    await reload(40)
    const before = await liveBytes()
    await reload(40)
    const grown = (await liveBytes()) - before
    // A configuration takes more than 0.3 MB: 40 take about 13.
    t.ok(grown < 4_000_000, `${Math.round(grown / 1e5) / 10} MB more after 40 reloads`)
  },
)
