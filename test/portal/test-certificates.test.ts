import { createHash, createPrivateKey, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { pem } from '../../src/certificates/make.ts'
import { readRevocationList } from '../../src/certificates/revocation-list.ts'
import { described, openssl, opensslVerify } from '../support/authority.ts'
import { accountsPath } from '../support/calling.ts'
import { tollgate as command } from '../support/cli.ts'
import { besidePortal } from '../support/portal-client.ts'
import { signatureOf } from '../support/seal.ts'
import { newApplication, runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

// Certificates are asked for as behind a proxy, which this test is.
const tollgate = await runTollgate(t, {
  env: { GATEWAY_CLIENT_CERTIFICATES: 'required', TRUSTED_PROXIES: '127.0.0.1' },
})
const beside = await besidePortal(t, tollgate)
const env = tollgate.commandEnv

/** A call over a certificate, as its status and code. */
async function call(key: string, pem: string, path = accountsPath): Promise<string> {
  const response = await fetch(tollgate.urls.gateway + path, {
    headers: { 'x-api-key': key, 'client-cert': described(pem).field },
  })
  const { code } = (await response.json()) as { code?: string }
  return `${response.status} ${code ?? ''}`.trim()
}

async function pairOf(application: string, ...args: string[]) {
  const all = ['sandbox', 'certificate', '--application', application, ...args, '--json']
  const outcome = await command(env, ...all)
  if (outcome.code !== 0) throw new Error(outcome.stderr)
  return JSON.parse(outcome.stdout)
}

/** A call signed with a seal, as its status and the code of the gateway or the bank. */
async function signedCall(
  key: string,
  qwac: { readonly certificate: string },
  qseal: { readonly certificate: string; readonly privateKey: string },
): Promise<string> {
  const covered = {
    digest: `SHA-256=${createHash('sha256').update('').digest('base64')}`,
    'x-request-id': randomUUID(),
  }
  const response = await fetch(tollgate.urls.gateway + accountsPath, {
    headers: {
      ...covered,
      'x-api-key': key,
      'client-cert': described(qwac.certificate).field,
      'tpp-signature-certificate': qseal.certificate.replaceAll('\n', ''),
      signature: signatureOf(covered, createPrivateKey(qseal.privateKey)),
    },
  })
  // Parse boundary: an error of the gateway or of the bank.
  const { code, tppMessages } = (await response.json()) as {
    code?: string
    tppMessages?: { code: string }[]
  }
  return `${response.status} ${code ?? tppMessages?.[0]?.code}`
}

/** Until an update from another process or a poll has reached the gateway. */
async function settled(wanted: RegExp, ask: () => Promise<string>): Promise<string> {
  let answer = ''
  await until(`the answer matches ${wanted}`, async () => {
    answer = await ask()
    if (!wanted.test(answer)) throw new Error(`the answer is ${answer}`)
    return true
  })
  return answer
}

/** The gateway let it pass: the bank answers. */
const passed = /^(?!.*CLIENT)/

t.test('a certificate of the sandbox works, and each defect gives its code', async (t) => {
  const { applicationId, key } = await newApplication(beside.stores, 'Certified')
  const { qwac, qseal, isAdded } = await pairOf(applicationId)
  t.equal(isAdded, true)
  const good = await settled(passed, () => call(key, qwac.certificate))
  t.notMatch(good, /CLIENT/, good)
  t.match(await call(key, qseal.certificate), /CLIENT_CERTIFICATE_INVALID/, 'it signs only')
  for (const [defect, code] of [
    ['expired', '401 CLIENT_CERTIFICATE_EXPIRED'],
    ['revoked', '401 CLIENT_CERTIFICATE_REVOKED'],
    ['wrong-role', '403 CLIENT_ROLE_INVALID'],
  ] as const) {
    const bad = await pairOf(applicationId, '--defect', defect)
    t.equal(bad.isAdded, false)
    const answer = await settled(new RegExp(code), () => call(key, bad.qwac.certificate))
    t.equal(answer, code)
  }
  const narrow = await pairOf(applicationId, '--role', 'PSP_AI')
  t.notMatch(await settled(passed, () => call(key, narrow.qwac.certificate)), /CLIENT/)
  const payment = '/v1.7.0/payments/sct/p1'
  t.equal(await call(key, narrow.qwac.certificate, payment), '403 CLIENT_ROLE_INVALID')
})

t.test(
  'a blocked certificate, and one of another application, leave security events',
  async (t) => {
    const { securityEvents, certificates } = beside.stores
    const [mine, other] = await Promise.all(
      ['Robbed', 'Robber'].map((name) => newApplication(beside.stores, name)),
    )
    if (mine === undefined || other === undefined) throw new Error('two were made')
    const { qwac } = await pairOf(mine.applicationId)
    t.notMatch(await settled(passed, () => call(mine.key, qwac.certificate)), /CLIENT/)
    const { thumbprint } = described(qwac.certificate).certificate
    /** The events about this certificate; before the gateways know it, it is foreign to its own application, too. */
    const written = async (reason: string) => {
      const events = await securityEvents.list({ event: 'certificate.refused', limit: 100 })
      return events.filter(
        (event) =>
          event.reason === reason &&
          event.detail['thumbprint'] === thumbprint &&
          event.subject !== `application:${mine.applicationId}`,
      )
    }

    t.equal(await call(other.key, qwac.certificate), '401 CLIENT_CERTIFICATE_INVALID')
    await until('the event is in the table', async () => (await written('foreign')).length === 1)
    const subject = `application:${other.applicationId}`
    t.match(await written('foreign'), [{ keyId: other.key.slice(3, 15), subject }])

    await certificates.block({ thumbprint, reason: 'stolen', by: 'test' })
    const refused = '401 CLIENT_CERTIFICATE_BLOCKED'
    t.equal(await settled(/BLOCKED/, () => call(mine.key, qwac.certificate)), refused)
    await until('the event is in the table', async () => (await written('blocked')).length === 1)
    t.match(await written('blocked'), [{ keyId: null, subject: null }], 'the key was not looked at')
  },
)

t.test('at the bank, a seal of the sandbox signs, and each defect gives its code', async (t) => {
  const { applicationId, key } = await newApplication(beside.stores, 'Sealed')
  await beside.stores.applications.setStrict({ id: applicationId, strict: true, by: 'test' })
  const good = await pairOf(applicationId)

  const signed = (pair: typeof good) => signedCall(key, good.qwac, pair.qseal)
  t.notMatch(await settled(/^(?!.*(?:CLIENT|CERTIFICATE))/, () => signed(good)), /CERTIFICATE|ROLE/)
  for (const [defect, code] of [
    ['expired', '401 CERTIFICATE_EXPIRED'],
    // As the Israeli documents spell it.
    ['revoked', '401 CERTIFICATE_REVOKE'],
    ['wrong-role', '401 ROLE_INVALID'],
  ] as const) {
    const bad = await pairOf(applicationId, '--defect', defect)
    t.equal(await settled(new RegExp(code), () => signed(bad)), code)
  }
  const other = await newApplication(beside.stores, 'Another')
  t.equal(await signed(await pairOf(other.applicationId)), '401 CERTIFICATE_INVALID', 'not its own')
})

t.test('a blocked certificate cannot sign until the block ends', async (t) => {
  const { applicationId, key } = await newApplication(beside.stores, 'Stolen')
  await beside.stores.applications.setStrict({ id: applicationId, strict: true, by: 'test' })
  const { qwac, qseal } = await pairOf(applicationId)
  const signed = () => signedCall(key, qwac, qseal)
  const accepted = /^(?!.*(?:CLIENT|CERTIFICATE))/
  t.match(await settled(accepted, signed), accepted)
  const { thumbprint } = described(qseal.certificate)
  await command(env, 'certificate', 'block', thumbprint, '--reason', 'Stolen')
  const refused = '401 CERTIFICATE_INVALID'
  t.equal(await settled(/CERTIFICATE/, signed), refused)
  await command(env, 'certificate', 'unblock', thumbprint)
  t.match(await settled(accepted, signed), accepted)
})

t.test('a third pair takes the place of the first, so that the second still works', async (t) => {
  const { applicationId, key } = await newApplication(beside.stores, 'Rotating')
  const pairs = [
    await pairOf(applicationId),
    await pairOf(applicationId),
    await pairOf(applicationId),
  ]
  const [first, second, third] = pairs.map(({ qwac }) => qwac.certificate)
  const refused = '401 CLIENT_CERTIFICATE_INVALID'
  t.equal(await settled(/CLIENT/, () => call(key, first)), refused)
  for (const pem of [second, third])
    t.notMatch(await settled(passed, () => call(key, pem)), /CLIENT/)
  const items = await beside.stores.certificates.list({ applicationId })
  t.same(items.map(({ use }) => use).sort(), ['signing', 'signing', 'tls', 'tls'])
})

t.test('the authority and its list are served, and openssl verifies with them', async (t) => {
  const { applicationId } = await newApplication(beside.stores, 'Verified')
  const revoked = await pairOf(applicationId, '--defect', 'revoked')
  const good = await pairOf(applicationId)
  const read = async (path: string) => {
    const response = await fetch(tollgate.urls.portal + path)
    t.equal(response.status, 200)
    return {
      type: response.headers.get('content-type'),
      octets: Buffer.from(await response.arrayBuffer()),
    }
  }
  const authority = await read('/sandbox/authority.crt')
  const list = await read('/sandbox/authority.crl')
  t.same([authority.type, list.type], ['application/pkix-cert', 'application/pkix-crl'])
  t.ok(
    readRevocationList(list.octets).has(
      described(revoked.qwac.certificate).certificate.x509.serialNumber,
    ),
  )
  const text = openssl(['x509', '-noout', '-text'], good.qwac.certificate)
  t.ok(text.includes(`URI:${tollgate.urls.portal}/sandbox/authority.crl`))
  const lists = [pem('X509 CRL', list.octets)]
  const anchors = [good.authority]
  const at = Date.now()
  t.ok(opensslVerify(t, { pem: good.qwac.certificate, anchors, lists, at }).isValid)
  t.match(opensslVerify(t, { pem: revoked.qwac.certificate, anchors, lists, at }).text, /revoked/)
})

t.test('a developer makes a pair on the portal; the keys are in that answer only', async (t) => {
  const { send } = await beside.signIn()
  const { body } = await send('POST', '/api/applications', { name: 'by button' })
  const path = `/api/applications/${body.id}/sandbox/certificates`
  const made = await send('POST', path, { roles: ['PSP_AI'] })
  t.equal(made.status, 201, made.text)
  t.equal(made.headers['cache-control'], 'no-store')
  t.match(made.body.qwac.privateKey, /BEGIN PRIVATE KEY/)
  const listed = await send('GET', `/api/applications/${body.id}/certificates`)
  t.equal(listed.body.items.length, 2)
  t.notMatch(listed.text, /PRIVATE/)
  for (const input of [
    {},
    { roles: [] },
    { roles: ['PSP_X'] },
    { roles: ['PSP_AI'], defect: 'x' },
  ]) {
    t.equal((await send('POST', path, input)).status, 400)
  }
})

t.test('the command writes files that only their owner may read, never over others', async (t) => {
  const { applicationId } = await newApplication(beside.stores, 'Filed')
  const out = join(t.testdir(), 'certificates')
  const args = ['sandbox', 'certificate', '--application', applicationId, '--out', out]
  const made = await command(env, ...args)
  t.equal(made.code, 0, made.stderr)
  for (const [name, mode] of [
    ['qwac.key', 0o600],
    ['qseal.key', 0o600],
    ['qwac.pem', 0o644],
  ] as const) {
    t.equal(statSync(join(out, name)).mode & 0o777, mode & ~process.umask(), name)
  }
  const before = readFileSync(join(out, 'qwac.key'), 'utf8')
  const again = await command(env, ...args)
  t.match(again, { code: 1, stderr: /qwac\.pem already exists; choose another folder with --out/ })
  t.equal(readFileSync(join(out, 'qwac.key'), 'utf8'), before)
  const inFile = await command(env, ...args.slice(0, -1), join(out, 'qwac.key'))
  t.match(inFile, { code: 1, stderr: /qwac\.key already exists/ }, 'a file is no folder')
  t.equal((await beside.stores.certificates.list({ applicationId })).length, 2, 'nothing was made')
  t.ok(existsSync(join(out, 'authority.pem')))
})

t.test('without a sandbox there is no authority', async (t) => {
  const outcome = await command(
    { ...env, SANDBOX: 'off' },
    'sandbox',
    'certificate',
    '--application',
    'x',
  )
  t.match(outcome, { code: 1, stderr: /this installation has no sandbox/ })
})
