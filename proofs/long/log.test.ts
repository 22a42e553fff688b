import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { childEnvironment } from '../../test/support/child-environment.ts'
import { testDataDir } from '../../test/support/database.ts'
import { configDir } from '../../test/support/published-catalogue.ts'
import { testConfigDir } from '../../test/support/tollgate.ts'

const program = join(configDir, '..', 'src', 'cli', 'main.ts')

/** Starts everything with a standard error of the test's choice; resolves at the ready line. */
async function startLogging(t: Test, stderr: number | 'pipe') {
  const child = spawn(process.execPath, [program, 'start'], {
    env: {
      ...childEnvironment,
      DATA_DIR: await testDataDir(t),
      CONFIG_DIR: testConfigDir(t),
      LOG_LEVEL: 'trace',
      GATEWAY_PORT: '0',
      MANAGEMENT_PORT: '0',
      PORTAL_PORT: '0',
      BACKEND_PORT: '0',
      SCA_PORT: '0',
    },
    stdio: ['ignore', 'pipe', stderr],
  })
  const ended = once(child, 'exit')
  t.teardown(() => child.kill('SIGKILL'))
  const { stdout } = child
  if (stdout === null) throw new Error('no standard output')
  let gateway = ''
  for await (const line of createInterface({ input: stdout })) {
    gateway = /^tollgate ready gateway=(\S+)/.exec(line)?.[1] ?? ''
    if (gateway !== '') break
  }
  return { child, ended, gateway }
}

t.test(
  'a full disk under the log costs lines, but neither a call nor the clean shutdown',
  async (t) => {
    const full = openSync('/dev/full', 'w')
    t.teardown(() => closeSync(full))
    const { child, ended, gateway } = await startLogging(t, full)
    t.not(gateway, '', 'it becomes ready')
    for (let count = 0; count < 20; count += 1) {
      const answer = await fetch(`${gateway}/v1.7.0/accounts`, {
        signal: AbortSignal.timeout(5000),
      })
      t.equal(answer.status, 401)
    }
    child.kill('SIGTERM')
    t.same(await ended, [0, null])
  },
)

t.test('an unread log costs lines, but neither a call nor the clean shutdown', async (t) => {
  const { child, ended, gateway } = await startLogging(t, 'pipe')
  t.not(gateway, '', 'it becomes ready')
  const { stderr } = child
  if (stderr === null) throw new Error('no standard error')
  // More than the pipe and what waits for it: a line has about 300 bytes.
  for (let count = 0; count < 200; count += 1) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        fetch(`${gateway}/v1.7.0/accounts`, { signal: AbortSignal.timeout(10_000) }),
      ),
    )
    if (answers.some(({ status }) => status !== 401 && status !== 429)) t.fail('a call failed')
    await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  }
  child.kill('SIGTERM')
  t.same(await ended, [0, null])
})
