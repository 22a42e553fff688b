import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from 'pg'
import t, { type Test } from 'tap'
import { startPostgres } from '../../test/support/database.ts'
import { fleetMissing, storesOf } from '../../test/support/fleet.ts'
import { freePort } from '../../test/support/free-port.ts'
import { readManifests } from '../../test/support/kustomize.ts'
import { ofKind, podsOf, renderOverlay } from '../../test/support/manifests.ts'
import { openBesidePortal } from '../../test/support/portal-client.ts'
import { testRedis } from '../../test/support/redis-server.ts'
import { roleServices, serviceLinks } from '../../test/support/service-links.ts'
import { until } from '../../test/support/until.ts'
import { namespacesMissing, startPod } from '../support/pods.ts'

const page = readFileSync('docs/kubernetes.md', 'utf8')
const examples = ofKind(readManifests('deploy/kubernetes/secrets.example.yaml'), 'Secret')

/** The first block for a shell of a section. */
function shellBlock(title: string): string {
  const [, section = ''] = new RegExp(`^## ${title}$(.*?)(?=^## |(?![^]))`, 'ms').exec(page) ?? []
  const [, block] = /^```sh\n(.*?)^```$/ms.exec(section) ?? []
  if (block === undefined) throw new Error(`docs/kubernetes.md has no commands in ${title}`)
  return block
}

/** A folder that the user of the pods may pass through. */
function openFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'tg-pods-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o711)
  return folder
}

t.test(
  'the pods of the overlay ha work together with the secrets and database roles of docs/kubernetes.md: none starts before the migration, a command in the portal works, a call with a key gets 200, and each process fits into its memory',
  { skip: fleetMissing() || namespacesMissing(), timeout: 400_000 },
  async (t) => {
    const manifests = renderOverlay('ha')
    const folder = openFolder(t)
    const postgres = await startPostgres(t)
    const database = new URL(postgres.url)
    const admin = new Client({ connectionString: postgres.url })
    await admin.connect()
    await admin.query('create database tollgate')
    const { rows } = await admin.query('show hba_file')
    writeFileSync(rows[0].hba_file, 'host all postgres all trust\nhost all all all scram-sha-256\n')
    await admin.query('select pg_reload_conf()')
    await admin.end()
    database.pathname = '/tollgate'
    const redis = await testRedis(t, { args: ['--requirepass', 'password'] })

    // The commands of the page, on a checkout, with the addresses of this machine.
    const checkout = join(folder, 'checkout')
    mkdirSync(checkout)
    symlinkSync(resolve('deploy'), join(checkout, 'deploy'))
    function runHere(script: string): void {
      const here = script
        .replaceAll('db.internal:5432', database.host)
        .replaceAll('redis.internal:6379', `127.0.0.1:${redis.port}`)
      const env = { ...process.env, ADMIN_URL: database.href }
      execFileSync('/bin/sh', ['-ec', here], { cwd: checkout, env, stdio: 'pipe' })
    }
    const [databaseRoles, secretFiles] = ['3. The database', '4. The secrets'].map(shellBlock)
    runHere(databaseRoles ?? '')
    runHere(secretFiles ?? '')
    const secrets = join(folder, 'secrets')
    mkdirSync(secrets)
    for (const [from, to] of [
      ['pods', 'tollgate-secrets'],
      ['owner', 'tollgate-owner'],
    ] as const) {
      renameSync(join(checkout, 'secrets', from), join(secrets, to))
      symlinkSync(join(secrets, to), join(checkout, 'secrets', from))
    }
    chmodSync(secrets, 0o711)
    for (const { metadata, stringData = {} } of examples) {
      const made = readdirSync(join(secrets, metadata?.name ?? ''))
      t.same(made.sort(), Object.keys(stringData).sort(), 'as in secrets.example.yaml')
    }

    const pods = new Map(podsOf(manifests).map((pod) => [pod.name.replace('tollgate-', ''), pod]))
    function start(name: string, env: Readonly<Record<string, string>> = {}) {
      const pod = pods.get(name)
      if (pod === undefined) throw new Error(`there is no pod ${name}`)
      return startPod(t, pod, { manifests, secrets, env })
    }
    for (const name of ['gateway', 'bank', 'portal']) {
      const before = start(name)
      t.not(await before.ended, 0, `${name} does not start before the tables are there`)
      t.match(before.output.stderr, /migrate/, name)
    }
    const migrated = start('migrate')
    t.equal(await migrated.ended, 0, migrated.output.stderr)

    const ports = await Promise.all(Array.from({ length: 7 }, async () => String(await freePort())))
    const [gatewayPort, portalPort, bankPort, scaPort, ...management] = ports
    const bankUrl = `http://127.0.0.1:${bankPort}`
    const gatewayUrl = `http://127.0.0.1:${gatewayPort}`
    const running = {
      gateway: start('gateway', {
        GATEWAY_PORT: gatewayPort ?? '',
        MANAGEMENT_PORT: management[0] ?? '',
        BACKEND_URL: bankUrl,
      }),
      bank: start('bank', {
        BACKEND_PORT: bankPort ?? '',
        SCA_PORT: scaPort ?? '',
        MANAGEMENT_PORT: management[1] ?? '',
        IDENTITY_JWKS_URL: `http://127.0.0.1:${management[0]}/.well-known/jwks.json`,
      }),
      portal: start('portal', {
        PORTAL_PORT: portalPort ?? '',
        MANAGEMENT_PORT: management[2] ?? '',
        BACKEND_URL: bankUrl,
        GATEWAY_URL: gatewayUrl,
      }),
    }
    await Promise.all(Object.values(running).map(({ ready }) => ready))
    for (const [index, name] of Object.keys(running).entries()) {
      await until(`${name} is ready`, async () => {
        const { status } = await fetch(`http://127.0.0.1:${management[index]}/readyz`)
        return status === 200
      })
    }
    const read = (path: string) => readFileSync(path, 'utf8').trim()
    const secret = (name: string) => read(join(secrets, 'tollgate-secrets', name))
    const servingUrl = read(join(checkout, 'secrets', 'commands', 'database-url-serving'))
    const stores = await storesOf(t, { DATABASE_URL: servingUrl, KEY_PEPPER: secret('key-pepper') })
    const portal = openBesidePortal(t, {
      portalUrl: `http://127.0.0.1:${portalPort}`,
      stores,
      databaseUrl: servingUrl,
      publicUrl: 'https://developer.bank.example',
      sessionSecret: secret('session-secret'),
    })
    t.match(await portal.anonymous('GET', '/api/sandbox'), { status: 200 }, 'the bank answers it')
    const onboarded = JSON.parse(
      running.portal.exec(
        'node',
        '/app/bin/tollgate.js',
        'onboard',
        '--email',
        'anna@example.com',
        '--application',
        'Budget',
        '--api',
        'xs2a@1.7.0',
        '--json',
      ),
    )
    t.match(onboarded, { key: /^tg_/ }, 'a command works in the portal’s pod, with its role')
    const { send } = await portal.signIn()
    const { id } = (await send('POST', '/api/applications', { name: 'Pods' })).body
    const path = `/api/applications/${id}`
    await send('POST', `${path}/subscriptions`, { api: 'xs2a', version: '1.7.0', plan: 'default' })
    const { key } = (await send('POST', `${path}/keys`, { name: 'k' })).body
    const { consentId } = (await send('POST', `${path}/sandbox/consents`)).body
    t.match(consentId, /^[0-9a-f-]{36}$/)
    const statuses: number[] = []
    await until('a call gets 200', async () => {
      const answer = await fetch(`${gatewayUrl}/v1.7.0/accounts`, {
        headers: {
          'x-api-key': key,
          'x-request-id': randomUUID(),
          'consent-id': consentId,
          'psu-ip-address': '192.0.2.44',
        },
      })
      await answer.text()
      statuses.push(answer.status)
      return answer.status === 200 && answer.headers.has('ratelimit')
    })
    // The gateway may learn of the key and the subscription later than the portal.
    t.same(
      statuses.slice(0, -1).filter((status) => status !== 401 && status !== 403),
      [],
    )

    for (const [name, { memoryMax }] of Object.entries(running)) {
      const limit = pods.get(name)?.container.resources?.limits?.['memory']
      t.ok(memoryMax() < 0.8 * bytesOf(limit), `${name}: ${memoryMax() / 2 ** 20} MiB of ${limit}`)
    }
    for (const { stop } of Object.values(running)) stop()
    for (const [name, { ended, output }] of Object.entries(running)) {
      t.equal(await ended, 0, name)
      t.notMatch(output.stderr, /permission denied|"level":"(?:error|fatal)"|EROFS|EACCES/, name)
    }
  },
)

/** Bytes of a quantity in Mi or Gi. */
function bytesOf(quantity: number | string | undefined): number {
  const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(String(quantity)) ?? []
  return Number(number) * (unit === 'Gi' ? 2 ** 30 : 2 ** 20)
}

t.test(
  'the pod of the overlay sandbox serves on its own ports, with the variables of services that have the names of roles, and keeps its data when it is killed',
  { skip: namespacesMissing(), timeout: 400_000 },
  async (t) => {
    const manifests = renderOverlay('sandbox')
    const [pod] = podsOf(manifests)
    if (pod === undefined) throw new Error('there is no pod')
    const data = openFolder(t)
    // As a volume for the group of the pod.
    chownSync(data, 0, pod.spec.securityContext?.fsGroup ?? 0)
    chmodSync(data, 0o2775)
    const ours = ofKind(renderOverlay('ha'), 'Service').map(
      ({ metadata, spec }) => [metadata?.name ?? '', spec?.ports?.[0]?.port ?? 0] as const,
    )
    const env = serviceLinks({ ...roleServices, ...Object.fromEntries(ours) })
    t.equal(env['GATEWAY_PORT'], 'tcp://10.96.0.14:8080')
    const start = () => startPod(t, pod, { manifests, data, env, isAlone: true })
    const first = start()
    await first.ready
    t.match(first.output.stdout, 'gateway=http://127.0.0.1:8080 ')
    t.match(first.output.stdout, ' management=http://127.0.0.1:9090 ')
    for (const name of ['GATEWAY', 'PORTAL', 'BACKEND', 'SCA', 'MANAGEMENT']) {
      t.match(first.output.stderr, `${name}_PORT is ignored: Kubernetes sets it`)
    }
    const ask = (running: typeof first, url: string, headers: Record<string, string> = {}) =>
      running.exec(
        'curl',
        '--silent',
        '--output',
        '/dev/null',
        '--write-out',
        '%{http_code}',
        ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
        url,
      )
    t.equal(ask(first, 'http://127.0.0.1:9090/readyz'), '200')
    t.equal(ask(first, 'http://127.0.0.1:8081/mailbox'), '200', 'the mailbox is open')
    const { key, consentId } = JSON.parse(
      first.exec(
        'node',
        '/app/bin/tollgate.js',
        'onboard',
        '--email',
        'anna@example.com',
        '--consent',
        '--application',
        'Budget',
        '--api',
        'xs2a@1.7.0',
        '--json',
      ),
    )
    const call = (running: typeof first) =>
      ask(running, 'http://127.0.0.1:8080/v1.7.0/accounts', {
        'X-API-Key': key,
        'X-Request-ID': randomUUID(),
        'Consent-ID': consentId,
        'PSU-IP-Address': '192.0.2.44',
      })
    t.equal(call(first), '200')
    t.notMatch(first.output.stderr, /EROFS|EACCES/)
    t.ok(
      first.memoryMax() < 0.8 * bytesOf(pod.container.resources?.limits?.['memory']),
      `${first.memoryMax() / 2 ** 20} MiB`,
    )
    process.kill(Number(first.exec('sh', '-c', 'head -1 "$DATA_DIR/tollgate.pid"')), 'SIGKILL')
    await first.ended
    const second = start()
    await second.ready
    t.equal(call(second), '200', 'the next pod has the same data')
    second.stop()
    t.equal(await second.ended, 0)
  },
)
