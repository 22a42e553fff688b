import t from 'tap'
import { createLog } from '../../src/platform/log/log.ts'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { sealSecret, unsealSecret } from '../../src/portal/alerts/webhook-secret.ts'
import { createOptOuts } from '../../src/portal/mail/opt-out.ts'
import { checkSealed } from '../../src/portal/sealing/check-sealed.ts'
import { derivePortalSecrets } from '../../src/portal/sealing/portal-secrets.ts'
import { createReSealing, reSeal } from '../../src/portal/sealing/re-seal.ts'
import { seal, unseal } from '../../src/portal/sealing/sealed.ts'
import type { SealedSecrets } from '../../src/portal/stores/accounts/sealed-secrets.ts'
import type { PortalSchema } from '../../src/portal/stores/schema.ts'
import { testDatabase } from '../support/database.ts'
import { openBesidePortal } from '../support/portal-client.ts'
import { testApplication, testStores } from '../support/registry.ts'
import { testDatabaseBeside } from '../support/stand-in-database.ts'
import { registryBeside, runTollgate } from '../support/tollgate.ts'

const [old, next] = ['o'.repeat(32), 'n'.repeat(32)]
const log = createLog('silent')

t.test('the first secret signs and seals, and all verify and open', (t) => {
  let setting = old
  const secrets = derivePortalSecrets(() => setting)
  const before = {
    cookie: secrets.cookie.sign('id'),
    sealed: seal(secrets.oidc, 'test', 'text'),
    token: createOptOuts({ key: secrets.optOut }).sign({
      developerId: crypto.randomUUID(),
      mail: 'limits',
    }),
  }
  const works = ({ cookie, sealed, token }: typeof before) => [
    secrets.cookie.unsign(cookie).valid,
    unseal(secrets.oidc, 'test', sealed),
    createOptOuts({ key: secrets.optOut }).verify(token)?.mail,
  ]
  const all = [true, 'text', 'limits']
  for (const list of [`${old},${next}`, `${next}, ${old}`]) {
    setting = list
    t.same(works(before), all, list)
  }
  const after = { ...before, cookie: secrets.cookie.sign('id') }
  t.not(after.cookie, before.cookie)
  setting = next
  t.same(works(before), [false, undefined, undefined], 'until the old secret leaves the list')
  t.ok(secrets.cookie.unsign(after.cookie).valid)
  t.end()
})

t.test('secrets of webhooks and authenticator apps move to the newest secret', async (t) => {
  const { database } = await testDatabase(t)
  const stores = await testStores(database)
  const { application, developer } = await testApplication(stores)
  const { id: applicationId } = application
  let setting = old
  const secrets = derivePortalSecrets(() => setting)
  const sealedSecret = sealSecret(secrets.webhooks, applicationId, 'whsec_1')
  await stores.alerts.setWebhook({
    applicationId,
    url: 'https://hooks.example/',
    sealedSecret,
    by: 'test',
  })
  const sealed = seal(secrets.totp, `tollgate portal totp ${developer.id}`, 'ABC')
  await database
    .connect<PortalSchema>()
    .insertInto('totp_secrets')
    .values({ developer_id: developer.id, sealed, last_step: 0 })
    .execute()

  const store = stores.sealedSecrets
  const alone = { store, secrets: derivePortalSecrets(() => next) }
  const refused = /SESSION_SECRET lacks .*: authenticator apps of developers: 1, webhooks: 1\. /
  setting = `${next},${old}`
  await checkSealed({ store, secrets })
  await t.rejects(checkSealed(alone), refused, 'a start')
  await t.rejects(checkSealed({ ...alone, before: secrets }), refused, 'a change')
  let failures = 2
  const failing: SealedSecrets = {
    ...store,
    async replace(...change) {
      if (failures-- > 0) throw new Error('the database does not answer')
      await store.replace(...change)
    },
  }
  const done = new Promise<void>((resolve) => {
    const heard = { info: () => resolve(), warn: () => undefined }
    const moving = createReSealing({ store: failing, secrets, log: heard, everyMs: 1 })
    t.teardown(() => moving.close())
    moving.start()
  })
  await done
  t.ok(failures < 0, 'repeated until nothing is left')
  setting = next
  await checkSealed(alone)
  const lost = derivePortalSecrets(() => old)
  await checkSealed({ store, secrets: lost, before: lost })
  const [app, webhook] = await stores.sealedSecrets.list()
  t.equal(unsealSecret(secrets.webhooks, applicationId, webhook?.sealed ?? sealedSecret), 'whsec_1')
  const purpose = `tollgate portal totp ${developer.id}`
  t.equal(unseal(secrets.totp, purpose, app?.sealed ?? sealed), 'ABC')
  t.equal(await reSeal({ store: stores.sealedSecrets, secrets, log }), 0)
  t.same(await stores.sealedSecrets.list(), [app, webhook], 'and stay as they are')
})

t.test('a session outlives the step that puts another secret in front', async (t) => {
  const { dataDir, urls } = await runTollgate(t, { env: { SESSION_SECRET: `${next},${old}` } })
  const { signIn } = openBesidePortal(t, {
    portalUrl: urls.portal,
    stores: await registryBeside(t, dataDir),
    databaseUrl: await testDatabaseBeside(dataDir),
    sessionSecret: old,
  })
  const { send } = await signIn()
  const answer = await send('GET', '/api/session')
  t.equal(answer.status, 200)
  t.equal(answer.headers['set-cookie'], undefined, 'the browser keeps its cookie')
  const ended = await send('DELETE', '/api/session')
  t.match(ended.headers['set-cookie'], 'Max-Age=0', 'until the person signs out')
  t.equal((await send('GET', '/api/session')).status, 401)
})

t.test('every secret of a list is long enough', (t) => {
  for (const [name, value] of [
    ['SESSION_SECRET', `${next},short`],
    ['MANAGEMENT_TOKEN', `${next},`],
    ['SANDBOX_SECRET', `${next},${next}`],
  ]) {
    t.throws(() => readSettings({ [name ?? '']: value }), new RegExp(`${name}: has`))
  }
  t.equal(readSettings({ SESSION_SECRET: `${next},${old}` }).sessionSecret, `${next},${old}`)
  t.end()
})
