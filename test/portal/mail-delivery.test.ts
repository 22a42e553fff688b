import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { sql } from 'kysely'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createLifetime } from '../../src/platform/process/lifetime.ts'
import type { Letter } from '../../src/portal/mail/letters.ts'
import { openMails } from '../../src/portal/mail/open-mails.ts'
import { derivePortalSecrets } from '../../src/portal/sealing/portal-secrets.ts'
import type { PortalSchema } from '../../src/portal/stores/schema.ts'
import { createAuthority } from '../support/authority.ts'
import { testDatabase } from '../support/database.ts'
import { testMailServer } from '../support/mail-server.ts'
import { readMails } from '../support/mails.ts'
import { testStores } from '../support/registry.ts'
import { until } from '../support/until.ts'

const { database } = await testDatabase(t)
await testStores(database)
const db = database.connect<PortalSchema>()
const token = createHash('sha256').update('token').digest('base64url')
const reset: Letter = { kind: 'password-reset', token }
const to = 'ada@lovelace-mail.com'

/** No portal polls by itself: it sends only what it was notified of. */
const never = 3_600_000

interface Portal {
  /** @param failure ends the transaction instead of its commit */
  post(letter: Letter, to: string | undefined, failure?: Error): Promise<void>
  close(): Promise<void>
  readonly log: string[]
  readonly metrics: Registry
}

/** What a portal process does with mails, in an empty outbox. */
async function portal(
  t: Test,
  settings: { smtpUrl?: string; mailFrom?: string; dataDir?: string; secret?: string },
  pollMs = never,
): Promise<Portal> {
  const lifetime = createLifetime()
  const log: string[] = []
  const metrics = new Registry()
  const { smtpUrl } = settings
  const { outbox } = await openMails({
    settings: { mailFrom: undefined, dataDir: '/nowhere', ...settings },
    smtpUrl: smtpUrl === undefined ? undefined : () => smtpUrl,
    database,
    secrets: derivePortalSecrets(() => settings.secret ?? 's'.repeat(32)),
    portalUrl: () => 'https://developer.bank.example',
    metricsRegistry: metrics,
    log: pino({ level: 'info', base: null }, { write: (line: string) => void log.push(line) }),
    lifetime,
    pollMs,
  })
  t.teardown(async () => {
    await lifetime.close()
    await db.deleteFrom('mails').execute()
  })
  return {
    post: (letter, to, failure) =>
      db.transaction().execute(async (trx) => {
        await outbox.post(trx, letter, to)
        if (failure !== undefined) throw failure
      }),
    close: () => lifetime.close(),
    log,
    metrics,
  }
}

const waiting = () =>
  db.selectFrom('mails').select(['attempts', 'sealed', 'due_at', 'created_at']).execute()

/** By the clock of the database, milliseconds. */
async function databaseNow(): Promise<number> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return rows[0]?.now.getTime() ?? Number.NaN
}

/**
 * The pause after the last attempt, in seconds as the log says it, once the only
 * mail that waits is due after it.
 *
 * @param begun before the attempt, by the clock of the database
 */
async function notedPause({ log }: Portal, begun: number): Promise<number> {
  const { pauseSeconds } = JSON.parse(log.findLast((line) => line.includes('retrying')) ?? '{}')
  await until('the pause is written', async () => {
    const [mail] = await waiting()
    const pausedAt = Number(mail?.due_at) - pauseSeconds * 1_000
    return pausedAt >= begun && pausedAt <= (await databaseNow())
  })
  return pauseSeconds
}

async function results(metrics: Registry): Promise<Record<string, number>> {
  const json = await metrics.getSingleMetric('portal_mails_total')?.get()
  return Object.fromEntries(
    (json?.values ?? []).flatMap(({ value, labels }) =>
      value === 0 ? [] : [[labels['result'], value]],
    ),
  )
}

/** More minutes than the longest pause. */
const passes = 70

/** They pass for every mail that waits, and the process looks at once. */
async function timePasses({ post }: Portal): Promise<void> {
  const minutes = sql`make_interval(mins => ${passes})`
  await sql`update mails set due_at = due_at - ${minutes}, created_at = created_at - ${minutes}`.execute(
    db,
  )
  await post(reset, undefined)
}

t.test('a mail goes to its address over SMTP, with the headers it must have', async (t) => {
  const server = await testMailServer(t)
  await server.start()
  const { post, metrics } = await portal(t, {
    smtpUrl: `smtp://127.0.0.1:${server.port}`,
    mailFrom: 'Bank Developers <developers@bank.example>',
  })
  await post(reset, to)
  await until(
    'it is received at once, for there is no next look',
    () => server.received.length === 1,
  )
  const [mail] = server.received
  t.match(mail, {
    from: 'developers@bank.example',
    recipients: [to],
    to,
    subject: 'Choose a new password',
  })
  t.equal(mail?.token, token)
  t.match(
    mail?.html ?? '',
    new RegExp(`href="https://developer.bank.example/reset/confirm#token=${token}"`),
  )
  const header = (name: string) => mail?.headers.get(name)
  t.equal(header('from'), 'Bank Developers <developers@bank.example>')
  t.match(header('message-id'), /^<[0-9a-f-]{36}@developer\.bank\.example>$/)
  t.equal(header('auto-submitted'), 'auto-generated')
  t.match(header('content-type'), /^multipart\/alternative;/)
  t.equal(header('list-unsubscribe'), undefined, 'not a mail one can do without')
  t.equal(header('x-mailer'), undefined)
  await until('nothing waits', async () => (await waiting()).length === 0)
  t.same(await results(metrics), { delivered: 1 })
})

t.test('mails one can do without carry the one-click header of RFC 8058', async (t) => {
  const server = await testMailServer(t)
  await server.start()
  const { post } = await portal(t, { smtpUrl: `smtp://127.0.0.1:${server.port}` })
  await post(
    {
      kind: 'limits-reached',
      developerId: '0b5f0f6e-4f0f-4a5b-9a55-0123456789ab',
      applicationId: '0b5f0f6e-4f0f-4a5b-9a55-0123456789ac',
      applicationName: 'app',
      alerts: [],
      writtenAt: new Date(),
    },
    to,
  )
  await until('it is received', () => server.received.length > 0)
  const [mail] = server.received
  t.equal(mail?.from, 'no-reply@developer.bank.example', 'the sender without MAIL_FROM')
  t.match(
    mail?.headers.get('list-unsubscribe'),
    /^<https:\/\/developer\.bank\.example\/api\/mail-opt-outs\/[A-Za-z0-9_-]{66}>$/,
  )
  t.equal(mail?.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
})

t.test(
  'rows show neither address nor link, and a transaction that fails leaves none',
  async (t) => {
    const { post, close } = await portal(t, { smtpUrl: 'smtp://127.0.0.1:1' })
    await close()
    await post(reset, to)
    await post(reset, undefined)
    const rows = await waiting()
    t.equal(rows.length, 2)
    for (const { sealed } of rows) {
      t.notMatch(sealed.toString('latin1'), /lovelace|reset|https|password/i)
      t.notOk(sealed.toString('latin1').includes(token))
    }
    const [real, decoy] = rows.map(({ sealed }) => sealed.length)
    t.ok(Math.abs((real ?? 0) - (decoy ?? 0)) < 64, 'a decoy is as long')
    await t.rejects(post(reset, to, new Error('no')), { message: 'no' })
    t.equal((await waiting()).length, 2)
  },
)

t.test('a mail server that says "later" gets it later, and once', async (t) => {
  const server = await testMailServer(t)
  await server.start()
  server.refuseRecipients([451, `4.7.1 <${to}> greylisted`])
  const process = await portal(t, { smtpUrl: `smtp://127.0.0.1:${server.port}` })
  const { post, log, metrics } = process
  const begun = await databaseNow()
  await post(reset, to)
  await until('one attempt', async () => (await results(metrics))['retried'] === 1)
  const seconds = await notedPause(process, begun)
  t.ok(seconds >= 9 && seconds <= 11, `again in ${seconds} s`)
  const [waits] = await waiting()
  t.equal(waits?.attempts, 1)
  server.refuseRecipients(undefined)
  await timePasses(process)
  await until('it is received', () => server.received.length === 1)
  const written = new Date(Number(waits?.created_at) - passes * 60_000)
  t.equal(
    new Date(server.received[0]?.headers.get('date') ?? '').toUTCString(),
    written.toUTCString(),
    'it has the date of its letter, not of the attempt',
  )
  await until('nothing waits', async () => (await waiting()).length === 0)
  t.same(await results(metrics), { retried: 1, delivered: 1 })
  t.match(log.join(''), /"kind":"password-reset","code":"EENVELOPE","responseCode":451/)
  t.notMatch(log.join(''), /ada|lovelace|greylisted|reset\/confirm/, 'no address in the log')
})

t.test('a mail server that is away gets it when it is back; the pauses grow', async (t) => {
  const server = await testMailServer(t)
  const process = await portal(t, { smtpUrl: `smtp://127.0.0.1:${server.port}` })
  const { post, metrics, log } = process
  let begun = await databaseNow()
  await post(reset, to)
  for (const [index, expected] of [10, 30, 90, 270, 810, 2430, 3600].entries()) {
    const attempt = `attempt ${index + 1}`
    await until(attempt, async () => (await results(metrics))['retried'] === index + 1)
    const pause = await notedPause(process, begun)
    t.ok(pause >= expected * 0.9 && pause <= expected * 1.1, `${pause} is about ${expected}`)
    if (expected === 3600) await server.start()
    begun = await databaseNow()
    await timePasses(process)
  }
  await until('it is received', () => server.received.length === 1)
  await until('nothing waits', async () => (await waiting()).length === 0)
  t.notMatch(log.join(''), /lovelace/)
})

t.test('after a day without success it is given up, with an error in the log', async (t) => {
  const process = await portal(t, { smtpUrl: 'smtp://127.0.0.1:1' })
  const { post, metrics, log } = process
  const begun = await databaseNow()
  await post(reset, to)
  await until('one attempt', async () => (await results(metrics))['retried'] === 1)
  await notedPause(process, begun)
  await sql`update mails set created_at = now() - interval '24 hours', due_at = now()`.execute(db)
  await post(reset, undefined)
  await until('nothing waits', async () => (await waiting()).length === 0)
  t.same(await results(metrics), { retried: 1, 'given-up': 1 })
  const error = log.find((line) => line.includes('"level":50'))
  t.match(error, /"kind":"password-reset".*gave up/)
  t.notMatch(error, /lovelace/)
})

t.test('a recipient refused for good is not tried again', async (t) => {
  const server = await testMailServer(t)
  await server.start()
  server.refuseRecipients([550, `5.1.1 <${to}> unknown`])
  const { post, metrics, log } = await portal(t, { smtpUrl: `smtp://127.0.0.1:${server.port}` })
  await post(reset, to)
  await until('refused', async () => (await results(metrics))['refused'] === 1)
  await until('nothing waits', async () => (await waiting()).length === 0)
  t.match(log.join(''), /"responseCode":550/)
  t.notMatch(log.join(''), /lovelace/)
})

t.test('decoys and mails to reserved domains go nowhere', async (t) => {
  const server = await testMailServer(t)
  await server.start()
  const { post, metrics } = await portal(t, { smtpUrl: `smtp://127.0.0.1:${server.port}` })
  await post(reset, undefined)
  await post(reset, 'demo@tollgate.example')
  await post(reset, 'nobody@nowhere.invalid')
  await until('nothing waits', async () => (await waiting()).length === 0)
  await post(reset, to)
  // It counts what the mail server has answered, which is later than what that has received.
  await until('the other is delivered', async () => (await results(metrics))['delivered'] === 1)
  t.same(
    server.received.map(({ to }) => to),
    [to],
  )
  t.same(await results(metrics), { reserved: 2, delivered: 1 })
})

t.test('a malformed address gets no mail', async (t) => {
  const server = await testMailServer(t)
  await server.start()
  const { post, metrics } = await portal(t, { smtpUrl: `smtp://127.0.0.1:${server.port}` })
  const hostile = [
    'ada@a.com,eve@b.com',
    'ada@a.com>\r\nRCPT TO:<eve@b.com',
    'ada@a.com\r\nBcc: eve@b.com',
    'group:ada@a.com;',
    '<ada@a.com>',
    'ada@a.com SIZE=1',
  ]
  for (const address of hostile) await post(reset, address)
  await until('all refused', async () => (await results(metrics))['refused'] === hostile.length)
  t.equal(server.received.length, 0)
})

t.test('an untrusted certificate is rejected, with implicit TLS and with STARTTLS', async (t) => {
  for (const secure of [true, false]) {
    // The server presents a self-signed certificate.
    const server = await testMailServer(t, { secure, authOptional: true })
    await server.start()
    const smtpUrl = `${secure ? 'smtps' : 'smtp'}://127.0.0.1:${server.port}`
    const { post, metrics, close } = await portal(t, { smtpUrl })
    await post(reset, to)
    await until('refused', async () => (await results(metrics))['retried'] === 1)
    t.equal(server.received.length, 0)
    await close()
    await db.deleteFrom('mails').execute()
  }
})

t.test('a mail server is trusted for its own name, by an authority that is trusted', async (t) => {
  const authority = createAuthority(t)
  const names = (...altNames: string[]) => ({
    subject: '/CN=mail',
    extensions: [`subjectAltName = ${altNames.join(',')}`],
  })
  const right = authority.issue(names('DNS:localhost'))
  const certificates = [
    { what: 'its own name', ...right, isReceived: true },
    { what: 'another name', ...authority.issue(names('DNS:mail.bank.example')), isReceived: false },
    {
      what: 'its address in place of its name',
      ...authority.issue(names('IP:127.0.0.1')),
      isReceived: false,
    },
    {
      what: 'another authority',
      ...createAuthority(t).issue(names('DNS:localhost')),
      isReceived: false,
    },
  ]
  // As NODE_EXTRA_CA_CERTS does at the start of a process.
  const usual = getCACertificates('default')
  setDefaultCACertificates([...usual, authority.pem])
  t.teardown(() => setDefaultCACertificates(usual))
  for (const secure of [true, false]) {
    for (const { what, pem, key, isReceived } of certificates) {
      const passwords: unknown[] = []
      const server = await testMailServer(t, {
        secure,
        cert: pem,
        key,
        onAuth({ username, password }, _session, done) {
          passwords.push(password)
          done(null, { user: username })
        },
      })
      await server.start()
      const smtpUrl = `${secure ? 'smtps' : 'smtp'}://relay:secret@localhost:${server.port}`
      const { post, metrics, close } = await portal(t, { smtpUrl })
      await post(reset, to)
      const result = isReceived ? 'delivered' : 'retried'
      await until(what, async () => (await results(metrics))[result] === 1)
      t.match(server.received, isReceived ? [{ isSecure: true }] : [], what)
      t.equal(server.received.length, isReceived ? 1 : 0, what)
      t.same(passwords, isReceived ? ['secret'] : [], what)
      await close()
      await db.deleteFrom('mails').execute()
    }
  }
})

t.test(
  'the password of the mail server goes over TLS, or not further than this machine',
  async (t) => {
    const passwords: unknown[] = []
    const server = await testMailServer(t, {
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      onAuth({ username, password }, _session, done) {
        passwords.push([username, password])
        done(null, { user: username })
      },
    })
    await server.start()
    // Also leads to this machine, but is not a loopback address by name.
    const far = await portal(t, { smtpUrl: `smtp://relay:p%40ss@0.0.0.0:${server.port}` })
    await far.post(reset, to)
    await until('not sent', async () => (await results(far.metrics))['retried'] === 1)
    t.same(passwords, [])
    await far.close()
    await db.deleteFrom('mails').execute()
    const near = await portal(t, { smtpUrl: `smtp://relay:p%40ss@127.0.0.1:${server.port}` })
    await near.post(reset, to)
    await until('sent', () => server.received.length === 1)
    t.same(passwords, [['relay', 'p@ss']])
  },
)

t.test('processes share the work: each mail is sent once', async (t) => {
  const server = await testMailServer(t)
  await server.start()
  const smtpUrl = `smtp://127.0.0.1:${server.port}`
  const portals = await Promise.all([1, 2, 3].map(() => portal(t, { smtpUrl }, 20)))
  const addresses = Array.from({ length: 40 }, (_, index) => `person-${index}@lovelace-mail.com`)
  await Promise.all(addresses.map((address, index) => portals[index % 3]?.post(reset, address)))
  await until('nothing waits', async () => (await waiting()).length === 0)
  t.same(server.received.map(({ to }) => to).sort(), addresses.toSorted())
})

t.test('a process with another secret leaves a mail to one that has the right one', async (t) => {
  const server = await testMailServer(t)
  await server.start()
  const smtpUrl = `smtp://127.0.0.1:${server.port}`
  const other = await portal(t, { smtpUrl, secret: 'o'.repeat(32) }, 20)
  const own = await portal(t, { smtpUrl: 'smtp://127.0.0.1:1' })
  await own.close()
  await own.post(reset, to)
  await until('tried', async () => (await results(other.metrics))['retried'] === 1)
  await other.close()
  await timePasses(await portal(t, { smtpUrl }))
  await until('it is received', () => server.received.length === 1)
  t.equal(server.received[0]?.token, token)
})

t.test(
  'without a mail server each mail is a file that a newcomer finds and can read',
  async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tg-mails-'))
    t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
    mkdirSync(join(dataDir, 'outbox'), { mode: 0o755 })
    const { post, log } = await portal(t, { dataDir })
    await post(reset, to)
    await post({ kind: 'approved' }, 'demo@tollgate.example')
    await post(reset, undefined)
    await until('two files', async () => (await readMails(dataDir)).length === 2)
    await until('nothing waits', async () => (await waiting()).length === 0)
    const folder = join(dataDir, 'outbox')
    const names = readdirSync(folder)
    t.equal(names.length, 2, 'nothing unfinished is left')
    for (const name of names) {
      t.match(name, /^\d{8}T\d{9}Z-(password-reset|approved)-\d+\.eml$/)
      t.equal(statSync(join(folder, name)).mode & 0o777, 0o600)
      t.ok(log.join('').includes(`"file":"${name}"`), 'the log names the file')
    }
    t.equal(statSync(folder).mode & 0o777, 0o700)
    const [mail] = await readMails(dataDir)
    t.match(mail, { kind: 'password-reset', to, token })
    const source = readFileSync(join(folder, mail?.file ?? ''), 'utf8')
    t.ok(source.includes(`/reset/confirm#token=${token}\r\n`), 'the link stands there as it is')
    t.notMatch(log.join(''), /lovelace/)
  },
)

t.test('an unwritable folder is reported at startup', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tg-mails-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  writeFileSync(join(dataDir, 'outbox'), 'a file')
  await t.rejects(portal(t, { dataDir }), { name: 'OutboxUnusable', message: /SMTP_URL/ })
})
