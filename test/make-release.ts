import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { burst, createClient } from './support/calling.ts'
import { startPostgres } from './support/database.ts'
import { productionEnv } from './support/fleet.ts'
import { startLedger } from './support/ledger-backend.ts'
import { programOf, type ReleaseSecrets, releaseFolder } from './support/releases.ts'
import { standInTest } from './support/stand-in-test.ts'
import { spawnTollgate, testConfigDir } from './support/tollgate.ts'

// A program: makes the fixture of a published release, what its database holds, with the program of its tag. It is for
// proofs/long/upgrade.test.ts: `node test/make-release.ts v0.2.0`

const tag = process.argv[2] ?? ''
const version = tag.replace(/^v/, '')
const target = releaseFolder(version)
const limitedCalls = 100
const recordedCalls = 60

const t = standInTest()

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tg-release-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Lets the release make applications, keys and an override, serve calls and record them. */
async function fill(program: string): Promise<void> {
  const postgres = await startPostgres(t)
  const ledger = await startLedger(t)
  const pepper = 'known-to-all-who-read-it-of-a-fixture-only'
  const env = {
    ...productionEnv(),
    KEY_PEPPER: pepper,
    DATABASE_URL: postgres.url,
    BACKEND_URL: ledger.url,
    CONFIG_DIR: testConfigDir(t, undefined, join(program, 'config')),
  }
  const run = (...args: string[]) =>
    // Parse boundary: what the release prints.
    JSON.parse(
      execFileSync(process.execPath, ['bin/tollgate.js', ...args, '--json'], {
        cwd: program,
        env: { ...process.env, ...env },
        encoding: 'utf8',
      }),
    )
  const apis = ['mandate@1.0.0', 'xs2a@1.6.0', 'xs2a@1.7.0'].flatMap((api) => ['--api', api])
  const person = ['--email', 'developer@tollgate.example', '--name', 'Dana', '--plan', 'default']
  const onboarded = run('onboard', ...person, '--application', 'Budget app', ...apis)
  const limited = run('onboard', ...person, '--application', 'Small app', ...apis)
  run(
    'override',
    'add',
    '--application',
    limited.applicationId,
    '--api',
    'xs2a@1.7.0',
    '--calls',
    String(limitedCalls),
    '--until',
    '2099-01-01T00:00:00Z',
    '--reason',
    'fixture',
  )
  const jwks = `${ledger.url}/jwks`
  const bankEnv = { ...env, DATA_DIR: temporary(), IDENTITY_JWKS_URL: jwks }
  await spawnTollgate(t, ['backend'], bankEnv, program)
  const gateway = await spawnTollgate(t, ['gateway'], { ...env, DATA_DIR: temporary() }, program)
  await burst([createClient(t, gateway.urls.gateway)], recordedCalls, { key: onboarded.key })
  await delay(2_000)
  gateway.signal('SIGTERM')
  await gateway.ended
  const dump = execFileSync('pg_dump', ['--no-owner', '--no-privileges', postgres.url], {
    encoding: 'utf8',
  })
  // Only the newest psql knows these two lines.
  writeFileSync(join(target, 'database.sql'), dump.replaceAll(/^\\(un)?restrict .*\n/gm, ''))
  const secrets: ReleaseSecrets = {
    pepper,
    key: onboarded.key,
    applicationId: onboarded.applicationId,
    limitedKey: limited.key,
    limitedCalls,
    recordedCalls,
  }
  writeFileSync(join(target, 'secrets.json'), `${JSON.stringify(secrets, undefined, 2)}\n`)
}

mkdirSync(target, { recursive: true })
try {
  await fill(await programOf(version))
} finally {
  await t.end()
}
