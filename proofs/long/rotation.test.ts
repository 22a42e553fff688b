import { createPrivateKey, createPublicKey, randomUUID, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { calculateJwkThumbprint, exportJWK } from 'jose'
import { Client } from 'pg'
import t from 'tap'
import { balancerMissing, startBalancer } from '../../test/support/balancer.ts'
import { tollgate } from '../../test/support/cli.ts'
import { fleetMissing } from '../../test/support/fleet.ts'
import { withoutRole } from '../../test/support/metrics.ts'
import { createPortalClient, type PortalClient, testPassword } from '../../test/support/portal.ts'
import { addApp } from '../../test/support/second-factor.ts'
import { until, untilWithin } from '../../test/support/until.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'
import { documentedSteps, openShell } from '../support/documented-steps.ts'
import {
  type Host,
  type Login,
  newPassword,
  type RotatedSecret,
  startRotatingFleet,
} from '../support/rotating-fleet.ts'
import { type Calling, startRotationLoad } from '../support/rotation-load.ts'

const rounds = proofSize({ share: 1, whole: 3 })
const callsMin = proofSize({ share: 300, whole: 50_000 })
const isWhole = rounds > 1
const callers = 12
/** Number of calls while the machines differ, before the next machine gets the file. */
const callsBetween = proofSize({ share: 3, whole: 50 })
/**
 * What docs/rotation.md lets pass between two steps. A share has no time for it: there, the bank asks for a key that it does
 * not know.
 */
const waits = {
  untilPublished: proofSize({ share: 0, whole: 61_000 }),
  untilUnused: proofSize({ share: 0, whole: 120_000 }),
}
/** What the plan of the test gives. */
const limit = 1_000_000
const logins = ['gateway', 'portal', 'bank', 'serving'] as const
const timeout = 90_000 + rounds * 600_000

t.setTimeout(timeout)

t.test(
  `each secret, rotated ${rounds} times as docs/rotation.md says, fails no call of a load and ends no session`,
  {
    skip: fleetMissing() || balancerMissing('haproxy'),
    timeout,
  },
  async (t) => {
    const fleet = await startRotatingFleet(t, (gateways) =>
      startBalancer(t, 'haproxy', gateways, { isPatient: true }),
    )
    const { hosts, tool, workshop, admin, redis, mails, mailPasswords } = fleet
    const email = 'ada@example.com'
    const requestFailures: string[] = []

    // What people and machines beside the callers do.
    let session = await signUp(email)
    /** What Prometheus presents. */
    let scraped = readFileSync(join(workshop, 'management-token'), 'utf8').trim()

    async function signUp(email: string): Promise<readonly PortalClient[]> {
      const clients = atPortals()
      const [first] = clients
      await first?.post('/api/developers', { email, name: 'Ada' })
      await until('the mail', () => mails.received.some(({ to }) => to === email))
      const token = mails.received.find(({ to }) => to === email)?.token
      const verified = await first?.post('/api/developers/verify', {
        token,
        password: testPassword,
      })
      t.equal(verified?.status, 204)
      return sharing(clients)
    }

    function atPortals(): PortalClient[] {
      return fleet.portals.map(({ urls }) => createPortalClient(urls.portal))
    }

    function sharing(clients: readonly PortalClient[]): readonly PortalClient[] {
      for (const other of clients.slice(1)) {
        for (const [name, value] of clients[0]?.cookies ?? []) other.cookies.set(name, value)
      }
      return clients
    }

    async function signIn(): Promise<readonly PortalClient[]> {
      const clients = atPortals()
      const { status, text } = (await clients[0]?.post('/api/session', {
        email,
        password: testPassword,
      })) ?? { status: 0, text: '' }
      t.equal(status, 200, text)
      return sharing(clients)
    }

    async function statuses(clients: readonly PortalClient[]): Promise<number[]> {
      return Promise.all(clients.map(async (client) => (await client.get('/api/session')).status))
    }

    /** A request of the developer to the portal. */
    async function ask(method: 'post' | 'get', path: string, body?: unknown, at = 0) {
      const client = session[at % session.length]
      if (client === undefined) throw new Error('there are two')
      const answer = await client[method](path, body as never)
      if (answer.status >= 400) requestFailures.push(`${path} ${answer.status} ${answer.text}`)
      return answer.body
    }

    const command = async (...args: string[]) => {
      const { code, stdout, stderr } = await tollgate(tool.env, ...args)
      if (code !== 0) throw new Error(`tollgate ${args.join(' ')}: ${stdout}${stderr}`)
      return stdout
    }

    async function newCalling(applicationId: string, key: string): Promise<Calling> {
      const { consentId } = await ask('post', `/api/applications/${applicationId}/sandbox/consents`)
      return { applicationId, consentId, keys: [key], gets: 0, posts: 0 }
    }

    const { id } = await ask('post', '/api/applications', { name: 'by the portal' })
    const wanted = { api: 'xs2a', version: '1.7.0', plan: 'default' }
    await ask('post', `/api/applications/${id}/subscriptions`, wanted)
    const { key } = await ask('post', `/api/applications/${id}/keys`, { name: 'first' })
    const onboarded = JSON.parse(
      await command(
        'onboard',
        '--email',
        email,
        '--application',
        'by the command',
        '--api',
        'xs2a@1.7.0',
        '--json',
      ),
    )
    const callings = [
      await newCalling(id, key),
      await newCalling(onboarded.applicationId, onboarded.key),
    ]
    const [ofPortal, ofCommand] = callings
    if (ofPortal === undefined || ofCommand === undefined) throw new Error('there are two')

    // What is encrypted with the session secret must outlive it.
    const other = (await signUp('grace@example.com'))[0]
    if (other !== undefined) await addApp((path, body) => other.post(path, body))

    let minted = 0
    /** Two new keys, which are used at once. */
    async function mint(): Promise<void> {
      minted += 1
      const name = `minted ${minted}`
      const [byPortal, byCommand] = await Promise.all([
        ask('post', `/api/applications/${ofPortal?.applicationId}/keys`, { name }, minted),
        command(
          'key',
          'issue',
          '--application',
          ofCommand?.applicationId ?? '',
          '--name',
          name,
          '--json',
        ),
      ])
      ofPortal?.keys.push(byPortal.key)
      ofCommand?.keys.push(JSON.parse(byCommand).key)
    }

    const load = startRotationLoad(t, {
      origin: fleet.origin,
      callings,
      callers,
      pauseMs: 60,
    })
    const moreCalls = async (calls: number): Promise<void> => {
      const before = load.calls()
      await until('more calls', () => load.calls() >= before + calls)
    }

    async function metrics(host: Host): Promise<string> {
      const url = `${host.process?.urls.management}/metrics`
      const answer = await fetch(url, { headers: { authorization: `Bearer ${scraped}` } })
      if (!answer.ok) requestFailures.push(`${host.name} /metrics ${answer.status}`)
      return withoutRole(await answer.text())
    }

    async function reloadsOf(host: Host, secret: RotatedSecret): Promise<number> {
      const files = secret.toLowerCase()
      const text = await metrics(host)
      const counted = (result: string): number =>
        Number(
          new RegExp(
            `^gateway_file_reloads_total\\{files="${files}",result="${result}"\\} (\\d+)`,
            'm',
          ).exec(text)?.[1],
        )
      t.equal(counted('failure'), 0, `${host.name} refused no ${secret}`)
      return counted('success')
    }

    let isOver = false
    t.teardown(() => {
      isOver = true
      return load.end()
    })
    const beside = async (work: () => Promise<unknown>): Promise<void> => {
      while (!isOver) {
        await work().catch((error) => requestFailures.push(String(error)))
        await delay(proofSize({ share: 500, whole: 300 }))
      }
    }
    let turns = 0
    const served = hosts.filter(({ process }) => process !== undefined)
    const others = [
      beside(() => ask('get', '/api/session', undefined, turns++)),
      beside(() => ask('get', `/api/applications/${id}/sandbox/consents`, undefined, turns++)),
      beside(() => Promise.all(served.map(metrics))),
    ]

    /**
     * Copies a file to one machine after the other, each while calls run.
     *
     * @param midway what happens once the first machine has it
     */
    async function copy(
      secret: RotatedSecret,
      text: string | ((host: Host) => string),
      {
        to = hosts.filter((host) => host.has(secret)),
        midway,
      }: { readonly to?: readonly Host[]; readonly midway?: () => Promise<void> } = {},
      round = 0,
    ): Promise<void> {
      for (const [at, host] of to.entries()) {
        const before = host.process && (await reloadsOf(host, secret))
        host.write(secret, typeof text === 'string' ? text : text(host))
        // In the second round, the processes find the files by themselves.
        if (round % 2 === 0) host.process?.signal('SIGHUP')
        if (before !== undefined) {
          await until(
            `${host.name} has the new ${secret}`,
            async () => (await reloadsOf(host, secret)) === before + 1,
          )
        }
        await moreCalls(callsBetween)
        if (at === 0) await midway?.()
      }
    }

    /** A list of which the page has the commands. */
    function listOf(
      secret: RotatedSecret,
      { heading, file, round }: { heading: string; file: string; round: number },
    ) {
      const steps = documentedSteps('rotation.md', heading)
      // What the first step sets, the last one needs.
      const shell = openShell(t, workshop)
      return async (step: 1 | 2 | 3): Promise<void> => {
        const commands = (steps.get(step) ?? '')
          .replaceAll('session-secret', file)
          .replaceAll(/^tollgate .*\n/gm, '')
        await shell.run(commands)
        const text = readFileSync(join(workshop, file), 'utf8')
        // A new key meets machines of which one has a secret in front that others do not use yet.
        await copy(secret, text, step === 2 ? { midway: mint } : {}, round)
      }
    }

    const logged = (host: Host, line: string): number =>
      (host.process?.output.stderr.split(line).length ?? 1) - 1

    const usersOf = new Map<Login, { user: string; password: string }>(
      logins.map((login) => {
        const host = hosts.find((host) => host.login === login)
        const url = new URL(host?.read('DATABASE_URL') ?? '')
        return [login, { user: url.username, password: url.password }]
      }),
    )

    /** Whether PostgreSQL lets this login in. */
    async function isLoginRefused(user: string, password: string): Promise<boolean> {
      const client = new Client({ connectionString: fleet.databaseUrl(user, password) })
      return client.connect().then(
        () => client.end().then(() => false),
        (error) => error.code === '28P01' || error.code === '28000',
      )
    }

    async function rotateLogin(
      login: Login,
      next: { user: string; password: string },
      {
        enter,
        leave,
        round,
      }: {
        /** On the server, after all files. */
        enter?: () => Promise<unknown>
        leave?: () => Promise<unknown>
        round: number
      },
    ): Promise<void> {
      const old = usersOf.get(login)
      if (old === undefined) throw new Error('no such login')
      const own = hosts.filter((host) => host.login === login)
      const line = 'new connections to PostgreSQL use the new login'
      const before = own.map((host) => logged(host, line))
      await copy('DATABASE_URL', fleet.databaseUrl(next.user, next.password), { to: own }, round)
      await enter?.()
      for (const [at, host] of own.entries()) {
        if (host.process === undefined) continue
        await until(`${host.name} uses the new login`, () => logged(host, line) > (before[at] ?? 0))
      }
      await leave?.()
      usersOf.set(login, next)
      t.ok(await isLoginRefused(old.user, old.password), `the old login of ${login} is refused`)
      await moreCalls(callsBetween)
    }

    const query = (text: string) => admin.query(text)

    /** All logins at once: each has its own machines. */
    async function rotatePasswords(round: number): Promise<void> {
      const rotations = logins.map((login) => {
        const { user = '' } = usersOf.get(login) ?? {}
        const password = newPassword()
        const enter = () => query(`alter role ${user} password '${password}'`)
        return rotateLogin(login, { user, password }, { enter, round })
      })
      await Promise.all(rotations)
    }

    async function rotateRoles(round: number): Promise<void> {
      const rotations = logins.map(async (login) => {
        const old = usersOf.get(login)?.user ?? ''
        const user = `tollgate_${login}_${round + 2}`
        const password = newPassword()
        await query(`create role ${user} login password '${password}' in role tollgate_${login}`)
        const leave = async () => {
          await until(`no connection of ${old} is left`, () => hasNoConnection(old))
          // The rights belong to the first role.
          const isFirst = old === `tollgate_${login}`
          await query(isFirst ? `alter role ${old} nologin` : `drop role ${old}`)
        }
        await rotateLogin(login, { user, password }, { leave, round })
      })
      await Promise.all(rotations)
    }

    async function hasNoConnection(user: string): Promise<boolean> {
      const { rows } = await admin.query('select 1 from pg_stat_activity where usename = $1', [
        user,
      ])
      return rows.length === 0
    }

    async function rotateRedis(round: number): Promise<void> {
      const [old = '', next] = [passwordIn('REDIS_URL'), newPassword()]
      await redis.cli('acl', 'setuser', 'tollgate', `>${next}`)
      await copy('REDIS_URL', fleet.redisUrl(next), {}, round)
      await redis.cli('acl', 'setuser', 'tollgate', `<${old}`)
      const answer = await redis.cli('auth', 'tollgate', old)
      t.match(answer, /WRONGPASS/, 'the old password of Redis is refused')
    }

    function passwordIn(secret: 'REDIS_URL' | 'SMTP_URL'): string {
      return new URL(hosts.find((host) => host.has(secret))?.read(secret) ?? '').password
    }

    async function rotateMail(round: number): Promise<void> {
      const [old, next] = [passwordIn('SMTP_URL'), newPassword()]
      mailPasswords.accepted.add(next)
      await copy('SMTP_URL', fleet.smtpUrl(next), { midway: mint }, round)
      mailPasswords.accepted.delete(old)
      await until('waiting mails are sent', async () => {
        const { rows } = await admin.query('select 1 from mails')
        return rows.length === 0
      })
      const before = mailPasswords.seen.length
      await ask('post', '/api/password-resets', { email: 'grace@example.com' })
      await until('a mail is sent', () => mailPasswords.seen.length > before)
      t.same([...new Set(mailPasswords.seen.slice(before))], [next], 'mails use the new password')
    }

    async function rotateSandbox(round: number): Promise<void> {
      const old = secretIn('sandbox-secret')
      const step = listOf('SANDBOX_SECRET', {
        heading: 'Session secret',
        file: 'sandbox-secret',
        round,
      })
      for (const at of [1, 2, 3] as const) await step(at)
      const url = `${fleet.bank.urls.backend}/sandbox`
      const asked = await Promise.all(
        [old, secretIn('sandbox-secret')].map(async (secret) => {
          const answer = await fetch(url, { headers: { authorization: `Bearer ${secret}` } })
          await answer.text()
          return answer.status
        }),
      )
      t.not(asked[0], 200, 'the bank refuses the old secret')
      t.equal(asked[1], 200)
    }

    const secretIn = (file: string): string =>
      readFileSync(join(workshop, file), 'utf8').trim().split(',')[0] ?? ''

    async function rotateManagement(round: number): Promise<void> {
      const old = scraped
      const step = listOf('MANAGEMENT_TOKEN', {
        heading: 'Session secret',
        file: 'management-token',
        round,
      })
      await step(1)
      scraped = readFileSync(join(workshop, 'management-token'), 'utf8').trim().split(',')[1] ?? ''
      await step(2)
      await step(3)
      for (const host of served) {
        const { status } = await fetch(`${host.process?.urls.management}/metrics`, {
          headers: { authorization: `Bearer ${old}` },
        })
        t.equal(status, 401, `${host.name} refuses the old token`)
      }
    }

    /** What the bank answers to an identity that this key signs. */
    async function askBank(pem: string): Promise<number> {
      const key = createPrivateKey(pem)
      const kid = await calculateJwkThumbprint(await exportJWK(createPublicKey(key)))
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const iat = Math.floor(Date.now() / 1000)
      const signed = [
        part({ alg: 'EdDSA', typ: 'gateway-identity+jwt', kid }),
        part({
          api: 'xs2a',
          version: '1.7.0',
          iss: 'tollgate',
          aud: 'tollgate-backend',
          sub: ofPortal?.applicationId,
          name: 'x',
          iat,
          exp: iat + 60,
        }),
      ].join('.')
      const identity = `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
      const answer = await fetch(`${fleet.bank.urls.backend}/v1.7.0/accounts`, {
        headers: {
          'gateway-identity': identity,
          'x-request-id': randomUUID(),
          'psu-ip-address': '192.0.2.44',
          'consent-id': ofPortal?.consentId ?? '',
        },
      })
      await answer.text()
      return answer.status
    }

    async function removePepper(round: number, step: (at: 3) => Promise<void>): Promise<void> {
      await untilWithin(120_000, 'no key needs the old pepper', async () => {
        const listed = await command('key', 'list', '--pepper-version', `${round + 1}`, '--json')
        return JSON.parse(listed).items.length === 0
      })
      await until('the audit log is signed with the new pepper', async () => {
        const { rows } = await admin.query("select 1 from audit where action = 'audit.change-key'")
        return rows.length > round
      })
      const oldPepper = /(?<=,).*/.exec(tool.read('KEY_PEPPER'))?.[0] ?? ''
      await step(3)
      const { code } = await tollgate(
        { DATABASE_URL: tool.read('DATABASE_URL'), KEY_PEPPER: oldPepper },
        'key',
        'issue',
        '--application',
        ofCommand?.applicationId ?? '',
        '--name',
        'old pepper',
      )
      t.not(code, 0, 'the old pepper makes no key')
    }

    for (let round = 0; round < rounds; round += 1) {
      if (round > 0) session = await signIn()
      const identity = listOf('IDENTITY_PRIVATE_KEY', {
        heading: 'Identity key',
        file: 'identity',
        round,
      })
      const pepper = listOf('KEY_PEPPER', { heading: 'Pepper', file: 'key-pepper', round })
      const sessions = listOf('SESSION_SECRET', {
        heading: 'Session secret',
        file: 'session-secret',
        round,
      })
      const bank = hosts.find(({ login }) => login === 'bank')
      const oldIdentity = readFileSync(join(workshop, 'identity'), 'utf8')
      t.equal(await askBank(oldIdentity), 200, 'the bank knows the key of now')

      await identity(1)
      await delay(waits.untilPublished)
      if (isWhole) t.ok(bank && logged(bank, 'the public keys of gateways changed') > round)
      await identity(2)
      const movedAt = Date.now()

      await pepper(1)
      await pepper(2)

      await sessions(1)
      await sessions(2)
      const earlier = session
      t.same(await statuses(earlier), [200, 200], 'a session stays signed in')
      session = await signIn()

      await rotateSandbox(round)
      // A share has no time for it: every process has a token.
      if (isWhole) await rotateManagement(round)
      await rotatePasswords(round)
      if (isWhole) await rotateRoles(round)
      await rotateRedis(round)
      await rotateMail(round)

      const moved = 'secrets moved to the newest SESSION_SECRET'
      const movedBefore = round
      await until(
        'the secrets of authenticator apps are under the new secret',
        () => hosts.reduce((sum, host) => sum + logged(host, moved), 0) > movedBefore,
      )
      await sessions(3)
      t.same(await statuses(session), [200, 200], 'nor does the last step end one of this secret')
      t.same(await statuses(earlier), [401, 401], 'the old secret signs no session any more')

      // A key moves when it is looked up again. A share has no time for it.
      if (isWhole) await removePepper(round, pepper)

      await delay(Math.max(0, movedAt + waits.untilUnused - Date.now()))
      await identity(3)
      if (isWhole) {
        await delay(waits.untilPublished)
        t.equal(await askBank(oldIdentity), 401, 'the bank refuses what the old key signs')
      }
      figure(`round ${round + 1}: ${load.calls()} calls, ${load.failed.length} failed`)
    }

    await untilWithin(timeout, 'enough calls are made', () => load.calls() >= callsMin)
    isOver = true
    await Promise.all(others)
    await load.end()
    // A log of many tests may keep only titles.
    for (const [failures, title] of [
      [load.failed, `of ${load.calls()} calls failed`],
      [requestFailures, 'other requests failed'],
    ] as const) {
      t.same(failures.slice(0, 5), [], `${failures.length} ${title} ${failures[0] ?? ''}`)
    }

    // New connections of every process use what is left.
    const connections = async () =>
      (await redis.cli('client', 'list')).split('user=tollgate').length - 1
    const connectedBefore = await connections()
    await redis.cli('client', 'kill', 'user', 'tollgate')
    await until('all are connected again', async () => (await connections()) >= connectedBefore)
    for (const host of hosts.filter(({ name }) => name.startsWith('gateway'))) {
      await until(`${host.name} counts in Redis again`, async () =>
        (await metrics(host)).includes('\ngateway_store_up{store="counters"} 1\n'),
      )
    }
    for (const calling of callings) {
      t.equal(await load.remaining(calling), limit - calling.gets, 'each GET is counted once')
    }
    for (const gateway of fleet.gateways) gateway.signal('SIGTERM')
    t.same(await Promise.all(fleet.gateways.map(({ ended }) => ended)), [0, 0, 0])
    for (const { applicationId, gets, posts } of callings) {
      const { rows } = await admin.query(
        'select sum(admitted)::int as admitted from usage_hours where application_id = $1',
        [applicationId],
      )
      t.equal(rows[0]?.admitted, gets + posts, 'and recorded once')
    }
    figure(`${load.calls()} calls, ${load.failed.length} failed, ${minted * 2} keys minted`)
  },
)
