import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { runTollgate } from '../support/tollgate.ts'

const folder = join(import.meta.dirname, '..', '..', 'docs', 'scenarios')
/** Every scenario, and what it cannot have ended without. */
const scenarios = {
  'account-information': /^pages: [2-9]$/m,
  'payment-initiation': /"transactionStatus":"CANC"/,
  mandate: /"mandateReasonCode":"MD17"/,
}
const execute = promisify(execFile)

/** The scenarios are made of curl and have their identifiers from Linux. */
function missing(): string | false {
  try {
    execFileSync('sh', ['-c', 'curl --version && cat /proc/sys/kernel/random/uuid'], {
      stdio: 'ignore',
    })
    return false
  } catch {
    return 'curl is not installed, or this is no Linux'
  }
}

const skip = missing()
const { urls, key } = skip === false ? await runTollgate(t) : { urls: { gateway: '' }, key: '' }

/** Runs a scenario as a reader does. */
async function run(name: string, env: Readonly<Record<string, string>>) {
  const file = join(folder, `${name}.sh`)
  return execute('sh', [file], { env: { PATH: process.env['PATH'], ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}

for (const [name, outcome] of Object.entries(scenarios)) {
  t.test(`the scenario ${name} works, step by step`, { skip, timeout: 90_000 }, async (t) => {
    const { code, stdout, stderr } = await run(name, { GATEWAY: urls.gateway, KEY: key })
    t.equal(stderr, '')
    t.equal(code, 0, stdout)
    t.match(stdout, outcome)
    t.match(stdout, /\n== Done\n$/)
  })

  t.test(`the scenario ${name} says what is missing or wrong`, { skip }, async (t) => {
    t.match(await run(name, {}), { code: 1, stdout: '', stderr: /^stopped: KEY is not set: / })
    t.match(await run(name, { GATEWAY: urls.gateway, KEY: 'tg_wrong' }), {
      code: 1,
      stderr: 'stopped: expected 201, the answer was 401\n',
    })
    t.match(await run(name, { GATEWAY: 'http://127.0.0.1:9', KEY: key }), {
      code: 1,
      stderr: /stopped: no answer from http:\/\/127\.0\.0\.1:9 /,
    })
  })
}
