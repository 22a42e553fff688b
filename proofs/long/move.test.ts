import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { tollgate } from '../../test/support/cli.ts'
import { testPostgres } from '../../test/support/database.ts'
import { bill } from '../../test/support/requests.ts'
import { runTollgate } from '../../test/support/tollgate.ts'

const peppers = {
  KEY_PEPPER: 'a-pepper-for-tests-and-nothing-else',
  SESSION_SECRET: 'a-session-secret-for-tests-and-nothing-else',
}

function testFolder(test: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'tg-move-'))
  test.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a command with --json that must succeed, and reads its result. */
async function json(env: Readonly<Record<string, string>>, ...args: string[]) {
  const outcome = await tollgate(env, ...args, '--json')
  if (outcome.code !== 0) throw new Error(`${args.join(' ')}: ${outcome.stderr}`)
  return JSON.parse(outcome.stdout)
}

function linesOf(file: string): string[] {
  return gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
}

function controlsOf(file: string): Record<string, unknown>[] {
  return linesOf(file)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

/** The digest of each table, except of those that an import adds to. */
function digestsOf(file: string): Record<string, unknown> {
  const ends = controlsOf(file).filter(
    ({ end, sha256 }) => end !== undefined && sha256 !== undefined,
  )
  return Object.fromEntries(
    ends
      .filter(({ end }) => !['registry.audit', 'registry.audit_waiting'].includes(String(end)))
      .map(({ end, rows, sha256 }) => [end, { rows, sha256 }]),
  )
}

const folder = testFolder(t)

t.test(
  'embedded to PostgreSQL and back: the same keys answer, and usage, payments, consents, balances and the audit are the same',
  async (t) => {
    const first = await runTollgate(t, { isEmbedded: true })
    const oldEnv = { DATA_DIR: first.dataDir }
    const { key, consentId } = await json(
      oldEnv,
      'onboard',
      '--email',
      'ada@app.example',
      '--application',
      'Ledger',
      '--api',
      'xs2a@1.7.0',
      '--consent',
    )

    const headers = (of: { key: string; consentId?: string }) => ({
      'x-api-key': of.key,
      'x-request-id': randomUUID(),
      'psu-ip-address': '192.0.2.44',
      ...(of.consentId === undefined ? {} : { 'consent-id': of.consentId }),
    })
    const both = [
      { key: first.key, consentId: first.consentId },
      { key, consentId },
    ]
    const read = async (gateway: string) => {
      const statuses = []
      for (const one of both) {
        const answer = await fetch(`${gateway}/v1.7.0/accounts`, { headers: headers(one) })
        await answer.arrayBuffer()
        statuses.push(answer.status)
      }
      return statuses
    }
    const before = await read(first.urls.gateway)
    // A new consent of the same customer ends the one of the demonstration, for that application only.
    t.same(before, [200, 200])
    const paid = await fetch(`${first.urls.gateway}/v1.7.0/payments/masav`, {
      method: 'POST',
      headers: { ...headers({ key }), 'content-type': 'application/json', 'psu-id': '305567661' },
      body: JSON.stringify(bill),
    })
    t.equal(paid.status, 201, await paid.text())
    t.match(await tollgate(oldEnv, 'import', join(folder, 'none')), { code: 1 })
    await first.close()

    const moved = join(folder, 'first.jsonl.gz')
    const exported = await json(oldEnv, 'export', moved)
    t.equal(statSync(moved).mode & 0o777, 0o600)
    const text = linesOf(moved).join('\n')
    for (const name of ['key-pepper', 'session-secret']) {
      t.notOk(text.includes(readFileSync(join(first.dataDir, name), 'utf8').trim()), name)
    }

    const postgres = await testPostgres(t)
    const onPostgres = {
      DATABASE_URL: postgres.url,
      KEY_PEPPER_FILE: join(first.dataDir, 'key-pepper'),
      SESSION_SECRET_FILE: join(first.dataDir, 'session-secret'),
    }
    const wrong = await tollgate({ ...peppers, DATABASE_URL: postgres.url }, 'import', moved)
    t.equal(wrong.code, 1)
    t.match(wrong.stderr, 'KEY_PEPPER 1 is another one here, SESSION_SECRET is another one here')
    const imported = await json(onPostgres, 'import', moved)
    t.equal(imported.rows, exported.rows)
    t.same(imported.migrated, [])
    const again = await tollgate(onPostgres, 'import', moved)
    t.match(again.stderr, /the database is not empty: \w+ has \d+ rows?; nothing was changed/)

    const expect = `${exported.audit.position}:${exported.audit.hash}`
    t.match(await json(onPostgres, 'audit', 'verify', '--expect', expect), { faults: [] })
    const second = join(folder, 'second.jsonl.gz')
    await json(onPostgres, 'export', second)
    const digests = digestsOf(moved)
    t.ok(Object.keys(digests).length > 40)
    for (const table of ['usage_minutes', 'api_keys', 'staff']) {
      t.match(digests, { [`registry.${table}`]: {} }, table)
    }
    // `audit verify` has sealed what waited.
    delete digests['registry.audit_links']
    t.match(digestsOf(second), digests, 'every table has the same rows')

    const server = await runTollgate(t, {
      env: {
        ...onPostgres,
        IDENTITY_PRIVATE_KEY_FILE: join(first.dataDir, 'identity-private-key'),
      },
    })
    t.same(await read(server.urls.gateway), [200, 200])
    const running = await tollgate(onPostgres, 'import', moved, '--replace', '--yes')
    t.match(running.stderr, /\d+ connections of running Tollgate processes/)
    await server.close()

    const back = join(folder, 'back.jsonl.gz')
    await json(onPostgres, 'export', back)
    const dataDir = join(testFolder(t), 'data')
    mkdirSync(dataDir, { mode: 0o700 })
    const missing = await tollgate({ DATA_DIR: dataDir }, 'import', back)
    t.match(missing.stderr, 'KEY_PEPPER 1 is missing here')
    for (const name of ['key-pepper', 'session-secret', 'identity-private-key']) {
      copyFileSync(join(first.dataDir, name), join(dataDir, name))
    }
    await json({ DATA_DIR: dataDir }, 'import', back)
    t.match(await json({ DATA_DIR: dataDir }, 'audit', 'verify', '--expect', expect), {
      faults: [],
    })
    const last = await runTollgate(t, { env: { DATA_DIR: dataDir } })
    t.same(await read(last.urls.gateway), [200, 200])
    const taken = await tollgate({ DATA_DIR: dataDir }, 'import', back, '--replace', '--yes')
    t.match(taken.stderr, `a process uses DATA_DIR ${dataDir}; stop it first`)
    const third = join(folder, 'third.jsonl.gz')
    await json({ DATA_DIR: dataDir }, 'export', third)
    const [was, is] = [digestsOf(moved), digestsOf(third)]
    for (const table of ['payments', 'accounts', 'mandates', 'transactions', 'psus']) {
      t.same(is[`bank.${table}`], was[`bank.${table}`], table)
    }
  },
)
