import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startTollgate } from '../../src/main.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { readSettings, roles } from '../../src/platform/settings/settings.ts'
import { testDataDir } from '../../test/support/database.ts'
import {
  quietEnv,
  registryBeside,
  spawnTollgate,
  testConfigDir,
} from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { root, startOnTerminal } from '../support/terminal.ts'

const execute = promisify(execFile)

const places = ['Portal', 'Gateway', 'Bank', 'Emails']

/** The command of a text that begins with `name`. */
function commandIn(text: string, name: string): string {
  return new RegExp(`^ {2}(${name}.*)$`, 'm').exec(text)?.[1] ?? 'false'
}

/** The status that a pasted curl command gets. */
async function statusOf(command: string): Promise<string> {
  const pasted = `${command} -s -o /dev/null -w '%{http_code}'`
  const { stdout } = await execute('bash', ['-c', pasted], { cwd: root })
  return stdout
}

t.test(
  'on a terminal every start shows its addresses and one next command; what the first and a later one lead to works as pasted',
  { timeout: 120_000 },
  async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    t.teardown(() => taken.close())
    const address = taken.address()
    const port = address !== null && typeof address !== 'string' ? address.port : 0
    const env = { DATA_DIR: await testDataDir(t), CONFIG_DIR: testConfigDir(t), LOG_LEVEL: 'info' }
    const refused = startOnTerminal(t, { ...env, MANAGEMENT_PORT: String(port) })
    await refused.ended
    t.match(refused.output(), /MANAGEMENT_HOST\/MANAGEMENT_PORT: cannot listen/)

    const programs = t.testdir({})
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(join(programs, name), '#!/bin/sh\nexit 3\n', { mode: 0o755 })
    }
    const first = startOnTerminal(t, { ...env, PATH: `${programs}:${process.env['PATH']}` })
    // The first start makes the embedded database.
    await until('the first start shows its call', async () =>
      /^ {2}curl .*\n/m.test(first.output()),
    )
    for (const place of places) t.match(first.output(), new RegExp(`^  ${place} +\\S`, 'm'))
    t.match(first.output(), /^ {2}Portal +(\S+)\r?\n[\s\S]*^ {2}Emails +\1\/mailbox\r?$/m)
    t.match(commandIn(first.output(), 'curl'), /X-API-Key: tg_/)
    t.equal(await statusOf(commandIn(first.output(), 'curl')), '200')
    const lineOfCall = /^\d\d:\d\d:\d\d {2}listAccounts \(xs2a 1\.7\.0\): 200, \d+ calls left, /m
    await until(lineOfCall.source, async () => lineOfCall.test(first.output()))
    const portal = /^ {2}Portal +(\S+)/m.exec(first.output())?.[1] ?? ''
    for (let pages = 0; pages < 10; pages += 1) await fetch(portal)
    first.type('h')
    const twice = new RegExp(`^  Portal +${portal}$[\\s\\S]*^  Portal +${portal}$`, 'm')
    await until('the addresses show again', () => twice.test(first.output()))
    await fetch(`${portal}/no-such-page`)
    first.type('o')
    const missing = `No browser could be opened. Open ${portal} yourself.`
    await until('a browser that fails is told', () => first.output().includes(missing))
    t.notMatch(first.output(), / made a change|portal request/, 'calls alone are on the screen')
    await first.stop()

    const second = startOnTerminal(t, { ...env, LOG_FORMAT: 'json' })
    const nextCommand = /^ {2}DATA_DIR=.* npx tollgate onboard .*\n/m
    await until('the second start shows its next command', () => nextCommand.test(second.output()))
    for (const place of places) t.match(second.output(), new RegExp(`^  ${place} +\\S`, 'm'))
    t.notMatch(second.output(), /tg_/)
    const command = commandIn(second.output(), 'DATA_DIR')
    const { stdout } = await execute('bash', ['-c', command], { cwd: root })
    t.equal(await statusOf(commandIn(stdout, 'curl')), '200')
    await second.stop()
    t.match(second.output(), /^\{"level":"info".*"msg":"stopped"\}$/m)
  },
)

t.test(
  'without a terminal no start writes a key; the first shows a command that makes one and works as pasted',
  { timeout: 120_000 },
  async (t) => {
    const env = {
      DATA_DIR: await testDataDir(t),
      CONFIG_DIR: testConfigDir(t),
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'pretty',
    }
    const first = await spawnTollgate(t, [], env)
    await until('the first start shows its call', async () =>
      /^ {2}curl .*$/m.test(first.output.stdout),
    )
    t.equal(await statusOf(commandIn(first.output.stdout, 'curl')), '200')
    const { audit } = await registryBeside(t, env.DATA_DIR)
    const actors = (await audit.list({ limit: 100 })).map(({ actor }) => actor)
    t.equal(actors.at(-1), 'system', 'the start itself; the rest did the command')
    for (const actor of actors) t.match(actor, /^system$|^operator:/)
    first.signal('SIGTERM')
    t.equal(await first.ended, 0)
    t.notMatch(first.output.stdout + first.output.stderr, /tg_[0-9A-Za-z]/)
    t.match(first.output.stderr, /^\d\d:\d\d:\d\d {2}stopped$/m)

    const second = await spawnTollgate(t, [], env)
    second.signal('SIGTERM')
    t.equal(await second.ended, 0)
    t.equal(second.output.stdout.split('\n').length, 2, 'the ready line alone')
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
      revision: 'test',
      isTerminal: true,
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
    t.equal((await call(keyOf(first.welcome))).status, 401, 'the key that was never shown is dead')
    t.not((await call(keyOf(second.welcome))).status, 401)
  },
)
