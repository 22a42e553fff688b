import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import {
  allTold,
  atBank,
  busyApplication,
  ended,
  isOver,
  open,
  timePasses,
  waiting,
  wake,
} from '../support/deleted-applications.ts'
import { freePort } from '../support/free-port.ts'
import { awaitMail } from '../support/mails.ts'
import { createPortalClient, mailedToken, signUpAndIn, testPassword } from '../support/portal.ts'
import { besidePortal } from '../support/portal-client.ts'
import { standInDataDir } from '../support/stand-in-database.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const resources = (rows: readonly string[]) => rows.filter((row) => !row.startsWith('appr'))

t.test('a deleted application', async (t) => {
  const tollgate = await runTollgate(t)
  const beside = await besidePortal(t, tollgate)
  const { db, stores } = beside
  const owner = await beside.signIn()
  const { gateway } = tollgate.urls
  const untouched = await busyApplication(owner.send, gateway)

  await t.test('has its consents ended, its payments and mandates cancelled', async (t) => {
    const id = await busyApplication(owner.send, gateway)
    t.same(resources(await atBank(db, id)), open)
    t.equal((await owner.send('DELETE', `/api/applications/${id}`)).status, 204)
    await until('ended', () => allTold(db))
    t.same(await atBank(db, id), ended)
    const entries = await stores.audit.list({ subject: `application:${id}`, limit: 1 })
    t.match(entries, [
      {
        actor: 'system',
        action: 'application.end-at-bank',
        detail: { consents: '2', payments: '1', mandates: '1' },
      },
    ])

    await t.test('and again ten minutes later, for calls that were under way', async (t) => {
      await sql`update bank.consents set status = 'valid' where id = (
        select id from bank.consents where application_id = ${id} limit 1)`.execute(db)
      await timePasses(db)
      await wake(owner.send)
      await until('over', () => isOver(db, id))
      t.same(await atBank(db, id), ended)
      const [last] = await stores.audit.list({ subject: `application:${id}`, limit: 1 })
      t.same(last?.detail, { consents: '1', payments: '0', mandates: '0' })
    })
  })

  await t.test('goes with its developer: the bank ends those, too', async (t) => {
    const other = await beside.signIn()
    const ids = [
      await busyApplication(other.send, gateway),
      await busyApplication(other.send, gateway),
    ]
    await stores.developers.delete({ id: other.developer.id, by: 'operator:test' })
    await until('ended', () => allTold(db))
    for (const id of ids) t.same(await atBank(db, id), ended)
  })

  t.same(resources(await atBank(db, untouched)), open, 'no other one')
})

/** A backend that answers as the test specifies. */
async function recorder(port: number, status: number) {
  const seen: { target: string; token: string }[] = []
  const server = createServer((request, response) => {
    const token = String(request.headers['gateway-identity'])
    seen.push({ target: `${request.method} ${request.url}`, token })
    response.writeHead(status).end()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    seen,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

t.test('a bank that was down gets a deletion when it is back, from any process', async (t) => {
  const port = await freePort()
  const dataDir = await standInDataDir(t)
  const env = { BACKEND_URL: `http://127.0.0.1:${port}`, DATA_DIR: dataDir }
  let id = ''
  await t.test('which is tried', async (t) => {
    const { db, signIn } = await besidePortal(t, await runTollgate(t, { env }))
    const { send } = await signIn()
    id = (await send('POST', '/api/applications', { name: 'app' })).body.id
    await send('DELETE', `/api/applications/${id}`)
    await until('tried', async () => (await waiting(db))[0]?.attempts === 1)
  })

  const failing = await recorder(port, 503)
  const lines: { applicationId?: string; attempts?: number; pauseSeconds?: number }[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const second = await runTollgate(t, { env, log })
  const { db, stores, signIn } = await besidePortal(t, second)
  const other = await signIn()
  async function due(): Promise<void> {
    await sql`update deleted_applications set due_at = now()`.execute(db)
    await wake(other.send)
  }
  await due()
  await until('asked', () => failing.seen.length > 0)
  const refused = () => lines.find(({ applicationId }) => applicationId === id)
  await until('refused', () => refused() !== undefined)
  const { attempts = 0, pauseSeconds } = refused() ?? {}
  t.equal(pauseSeconds, 10 * 3 ** (attempts - 1), 'the pauses grow')
  t.ok(attempts > 1, 'it went on from the process before')
  await failing.stop()

  const bank = await recorder(port, 204)
  t.teardown(() => bank.stop())
  const told = () => bank.seen.find(({ target }) => target === `DELETE /applications/${id}`)
  // A connection that the bank before has just cut may cost an attempt.
  await until('the bank hears of the deletion', async () => {
    await due()
    return told() !== undefined
  })
  const keys = createRemoteJWKSet(new URL(`${second.urls.management}/.well-known/jwks.json`))
  const { payload } = await jwtVerify(told()?.token ?? '', keys, {
    issuer: 'tollgate',
    audience: 'tollgate-backend',
    typ: 'gateway-identity+jwt',
  })
  t.match(payload, { sub: id, api: 'tollgate', version: 'applications' })
  await until('noted', async () => {
    const [entry] = await stores.audit.list({ subject: `application:${id}`, limit: 1 })
    return entry?.action === 'application.end-at-bank'
  })
})

t.test('a backend without such a route is asked twice, and then no more', async (t) => {
  const port = await freePort()
  const bank = await recorder(port, 404)
  t.teardown(() => bank.stop())
  const tollgate = await runTollgate(t, { env: { BACKEND_URL: `http://127.0.0.1:${port}` } })
  const { db, stores, signIn } = await besidePortal(t, tollgate)
  const { send } = await signIn()
  const { id } = (await send('POST', '/api/applications', { name: 'app' })).body
  await send('DELETE', `/api/applications/${id}`)
  await until('asked', () => bank.seen.length === 1)
  await until('noted', () => allTold(db))
  await timePasses(db)
  await wake(send)
  await until('over', () => isOver(db, id))
  t.equal(bank.seen.filter(({ target }) => target.endsWith(id)).length, 2)
  const [entry] = await stores.audit.list({ subject: `application:${id}`, limit: 1 })
  t.equal(entry?.action, 'application.delete', 'nothing was ended')
})

t.test('after the deletion of an account no file has its address', async (t) => {
  const tollgate = await runTollgate(t)
  const { dataDir } = tollgate
  const folder = join(dataDir, 'outbox')
  const files = (address: string) =>
    readdirSync(folder).filter((name) => readFileSync(join(folder, name), 'utf8').includes(address))
  const [email, earlier, other] = ['gone@example.com', 'earlier@example.com', 'stays@example.com']
  await signUpAndIn(tollgate, { email: other })
  const leaver = await signUpAndIn(tollgate, { email: earlier })
  const currentPassword = testPassword
  await leaver.patch('/api/session/developer', { currentPassword, email })
  const token = await mailedToken(dataDir, 'email-change', email)
  t.equal((await leaver.post('/api/email-changes/confirm', { token })).status, 204)
  await awaitMail(dataDir, { kind: 'address-changed', to: earlier })
  // What a crash leaves while it writes a file.
  const [sample = ''] = files(email)
  writeFileSync(join(folder, `.${sample}.0123456789ab`), readFileSync(join(folder, sample)))
  const stayed = files(other)
  const copy = join(dataDir, 'outbox-of-another-process')
  cpSync(folder, copy, { recursive: true })

  const deleted = await leaver.delete('/api/session/developer', { currentPassword })
  t.equal(deleted.status, 204)
  await until('gone', () => files(email).length === 0)
  t.same(
    files(earlier).map((name) => /Z-([a-z-]+)-/.exec(name)?.[1]),
    ['address-changed'],
    'the notice to the earlier address stays a day',
  )
  t.same(files(other), stayed)

  // As for a process that was down when the account was deleted.
  await tollgate.close()
  rmSync(folder, { recursive: true })
  cpSync(copy, folder, { recursive: true })
  rmSync(copy, { recursive: true })
  t.ok(files(email).length > 0)
  const again = await runTollgate(t, { env: { DATA_DIR: dataDir } })
  await until('gone there, too', () => files(email).length === 0)
  t.same(files(other), stayed)

  const stranger = createPortalClient(again.urls.portal)
  await stranger.post('/api/developers', { email: 'new@example.com', name: 'New' })
  await awaitMail(dataDir, { kind: 'sign-up', to: 'new@example.com' })
  t.equal(files('new@example.com').length, 1, 'an address whose link works keeps its mail')
})
