import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import t from 'tap'
import type { Role } from '../../src/platform/settings/settings.ts'
import { accountsPath } from '../../test/support/calling.ts'
import { tollgate } from '../../test/support/cli.ts'
import { composed, composedEnvironment, secretCommands } from '../../test/support/composed.ts'
import { startPostgres } from '../../test/support/database.ts'
import { fleetMissing } from '../../test/support/fleet.ts'
import { freePort } from '../../test/support/free-port.ts'
import { testRedis } from '../../test/support/redis-server.ts'
import { spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

t.test(
  'the services of compose.yaml work together, each as a process with its own settings, secrets and database role',
  { skip: fleetMissing() },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tg-compose-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    execFileSync('/bin/sh', ['-ec', secretCommands().join('\n')], { cwd: folder, stdio: 'pipe' })
    const secrets = join(folder, 'secrets')

    const postgres = await startPostgres(t)
    const database = new URL(postgres.url)
    const admin = new Client({ connectionString: postgres.url })
    await admin.connect()
    await admin.query('create database tollgate')
    // Roles need their passwords, as in the image of PostgreSQL.
    const { rows } = await admin.query('show hba_file')
    writeFileSync(rows[0].hba_file, 'host all postgres all trust\nhost all all all scram-sha-256\n')
    await admin.query('select pg_reload_conf()')
    await admin.end()
    const [, password = ''] = readFileSync(join(secrets, 'redis-conf'), 'utf8').trim().split(' ')
    const redis = await testRedis(t, { args: ['--requirepass', password] })
    for (const name of readdirSync(secrets)) {
      const file = join(secrets, name)
      const content = readFileSync(file, 'utf8')
        .replace('@postgres:5432', `@${database.host}`)
        .replace('host=postgres', `host=127.0.0.1\nport=${database.port}`)
        .replace('redis:6379', `127.0.0.1:${redis.port}`)
      chmodSync(file, 0o600)
      writeFileSync(file, content)
    }

    const [program = '', ...args] = composed.services['roles']?.command ?? []
    const here = args.map((arg) => arg.replace(/^\/postgres\//, 'deploy/postgres/'))
    const rolesEnv = { ...process.env, ...composedEnvironment('roles', secrets) }
    execFileSync(program, here, { env: rolesEnv, stdio: 'pipe' })
    const migrate = composed.services['migrate']?.command ?? []
    const migrated = await tollgate(composedEnvironment('migrate', secrets), ...migrate)
    t.equal(migrated.code, 0, migrated.stderr)

    const [bank, management] = [String(await freePort()), String(await freePort())]
    const jwks = `http://127.0.0.1:${management}/.well-known/jwks.json`
    function start(service: string, role: Role, env: Readonly<Record<string, string>>) {
      t.same(composed.services[service]?.command, ['start', role])
      const own = composedEnvironment(service, secrets)
      const dataDir = join(folder, service)
      mkdirSync(dataDir, { mode: 0o700 })
      return spawnTollgate(t, [role], {
        ...own,
        DATA_DIR: dataDir,
        CONFIG_DIR: testConfigDir(t),
        DRAIN_SECONDS: '0',
        LOG_LEVEL: 'warn',
        LOG_FORMAT: 'json',
        ...env,
      })
    }
    const gateway = await start('gateway-1', 'gateway', {
      BACKEND_URL: `http://127.0.0.1:${bank}`,
      MANAGEMENT_PORT: management,
    })
    const backend = await start('backend', 'backend', {
      BACKEND_PORT: bank,
      IDENTITY_JWKS_URL: jwks,
    })
    const portal = await start('portal', 'portal', { GATEWAY_URL: gateway.urls.gateway })

    const onboarded = await tollgate(
      composedEnvironment('tool', secrets),
      'onboard',
      '--email',
      'anna@example.com',
      '--application',
      'Budget',
      '--api',
      'xs2a@1.7.0',
      '--json',
    )
    t.equal(onboarded.code, 0, onboarded.stderr)
    const answer = await fetch(gateway.urls.gateway + accountsPath, {
      headers: {
        'x-api-key': JSON.parse(onboarded.stdout).key,
        'x-request-id': crypto.randomUUID(),
      },
    })
    t.match([answer.status, await answer.text()], [400, /"tppMessages".*Consent-ID/is])
    const refused = await fetch(`${portal.urls.portal}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost:8081' },
      body: JSON.stringify({ email: 'anna@example.com', password: 'not the password' }),
    })
    t.equal(refused.status, 401, await refused.text())

    const owner = new Client({
      connectionString: readFileSync(join(secrets, 'database-url-owner'), 'utf8').trim(),
    })
    await owner.connect()
    t.teardown(() => owner.end())
    await until('the audit is sealed', async () => {
      const { rows } = await owner.query('select count(*)::int as waiting from audit_waiting')
      return rows[0].waiting === 0
    })
    for (const { signal } of [portal, gateway, backend]) signal('SIGTERM')
    for (const { ended, output } of [portal, gateway, backend]) {
      t.equal(await ended, 0)
      t.notMatch(output.stderr, /permission denied|may change the audit/)
    }
    const { rows: written } = await owner.query(
      `select (select count(*)::int from call_records) as records, (select sum(admitted)::int from usage_days) as calls,
        (select count(*)::int from api_keys where last_used_at is not null) as used,
        (select count(*)::int from audit_links) > 0 as "isSealed",
        (select count(*)::int from security_events) > 0 as "hasEvents"`,
    )
    t.match(written, [{ records: 1, calls: 1, used: 1, isSealed: true, hasEvents: true }])
  },
)
