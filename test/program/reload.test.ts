import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../support/calling.ts'
import { testDataDir } from '../support/database.ts'
import { spawnTollgate, testConfigDir } from '../support/tollgate.ts'

t.test(
  'SIGHUP takes a valid configuration into force and keeps the old one before a bad one',
  async (t) => {
    const configDir = testConfigDir(t)
    const process = await spawnTollgate(t, ['gateway', 'portal', 'backend'], {
      DATA_DIR: await testDataDir(t),
      CONFIG_DIR: configDir,
      LOG_LEVEL: 'error',
    })
    const plan = join(configDir, 'plans', 'default.yaml')
    const good = readFileSync(plan, 'utf8')

    async function reload(text: string, sign: RegExp): Promise<string> {
      writeFileSync(plan, text)
      process.signal('SIGHUP')
      for (let attempt = 0; attempt < 100; attempt++) {
        const metrics = await (await fetch(`${process.urls.management}/metrics`)).text()
        if (sign.test(metrics)) return metrics
        await delay(50)
      }
      throw new Error(`no ${sign} in the metrics`)
    }
    const terms = async () => (await fetch(`${process.urls.portal}/api/apis`)).text()

    const refused = await reload(
      'title: 5',
      /^gateway_config_reloads_total\{result="failure"\} 1$/m,
    )
    t.match(refused, /^gateway_config_generation 1$/m)
    const said = /reload refused, the current configuration stays active/
    t.ok(await eventually(async () => said.test(process.output.stderr)), said.source)
    t.match(await terms(), '"calls":1000000')

    const calls = good.replace('calls: 1000000', 'calls: 7')
    await reload(calls, /^gateway_config_generation 2$/m)
    t.match(await terms(), '"calls":7')

    process.signal('SIGTERM')
    t.equal(await process.ended, 0)
  },
)
