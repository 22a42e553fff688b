import { createHash, createPrivateKey, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import {
  createAuthority,
  qsealExtensions,
  type TestCertificate,
} from '../../test/support/authority.ts'
import { accountsPath } from '../../test/support/calling.ts'
import { createTestAuthority } from '../../test/support/certificates.ts'
import { tollgate } from '../../test/support/cli.ts'
import { testDataDir } from '../../test/support/database.ts'
import { fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { signatureOf } from '../../test/support/seal.ts'
import {
  newApplication,
  registryBeside,
  spawnTollgate,
  type TollgateProcess,
  testConfigDir,
} from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

t.setTimeout(180_000)

const servers = createTestAuthority(t, 'Servers')
const server = servers.issue()
const authority = createAuthority(t)
const [own, second, others] = [authority.issue(), authority.issue(), authority.issue()]
const revoked = '401 CLIENT_CERTIFICATE_REVOKED'

/** Authorities and revocation lists in files, as Kubernetes mounts a secret: through a link that it replaces as a whole. */
function mount(t: Test, firstList: string) {
  const folder = t.testdir()
  let version = 0
  function swap(list: string): void {
    const name = `version-${++version}`
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'ca.pem'), authority.pem)
    writeFileSync(join(folder, name, 'crl.pem'), list)
    symlinkSync(name, join(folder, '..next'))
    renameSync(join(folder, '..next'), join(folder, '..data'))
  }
  swap(firstList)
  for (const name of ['ca.pem', 'crl.pem']) symlinkSync(join('..data', name), join(folder, name))
  return {
    env: {
      CLIENT_CERTIFICATE_CA_FILE: join(folder, 'ca.pem'),
      CLIENT_CERTIFICATE_CRL_FILE: join(folder, 'crl.pem'),
    },
    swap,
    write: (list: string) => writeFileSync(join(folder, 'crl.pem'), list),
  }
}

/** Two gateways that end TLS themselves. The application of `key` has `own` and `second`, another one `others`. */
async function start(t: Test, firstList: string, env: Readonly<Record<string, string>> = {}) {
  const mounted = mount(t, firstList)
  const fleet = await startFleet(t, {
    size: 2,
    env: {
      ...mounted.env,
      GATEWAY_TLS_CERT_FILE: server.certFile,
      GATEWAY_TLS_KEY_FILE: server.keyFile,
      GATEWAY_CLIENT_CERTIFICATES: 'required',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
      ...env,
    },
  })
  const [gateway] = fleet.gateways
  if (gateway === undefined) throw new Error('no gateway')
  const one: TollgateProcess = gateway
  const [{ key, applicationId }, another] = [
    await newApplication(fleet.stores, 'own'),
    await newApplication(fleet.stores, 'other'),
  ]
  for (const [id, { pem }] of [
    [applicationId, own],
    [applicationId, second],
    [another.applicationId, others],
  ] as const) {
    await fleet.stores.certificates.add({
      applicationId: id,
      use: 'tls',
      name: 'one',
      by: 'test',
      certificate: Buffer.from(pem),
    })
  }

  function client(presents: TestCertificate | undefined, { urls }: TollgateProcess = one) {
    const pair = presents === undefined ? {} : { cert: presents.pem, key: presents.key }
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: servers.ca, ...pair })
    t.teardown(() => agent.destroy())
    return async (headers: Readonly<Record<string, string>> = {}): Promise<string> => {
      const call = request(urls.gateway + accountsPath, {
        agent,
        headers: { 'x-api-key': key, ...headers },
      })
      const [response] = await once(call.end(), 'response')
      let body = ''
      for await (const piece of response) body += piece
      return `${response.statusCode} ${JSON.parse(body).code ?? ''}`.trim()
    }
  }

  /** The answer of both gateways; two answers if they differ. */
  async function ask(
    presents: TestCertificate | undefined,
    headers?: Readonly<Record<string, string>>,
  ): Promise<string> {
    const answers = new Set<string>()
    for (const each of fleet.gateways) answers.add(await client(presents, each)(headers))
    return [...answers].join(', ')
  }

  return {
    fleet,
    gateway,
    mounted,
    another,
    client,
    ask,
    metrics: () => metricsOf(gateway.urls.management),
    reload: () => tollgate({ ...fleet.env, LOG_LEVEL: 'silent' }, 'reload'),
  }
}

t.test(
  'two gateways that end TLS themselves judge client certificates alike, each fault with its code',
  { skip: fleetMissing(), timeout: 170_000 },
  async (t) => {
    // As with a balancer that passes TLS through: each client has the address of a trusted proxy.
    const env = { TRUSTED_PROXIES: '127.0.0.1' }
    const stolen = authority.issue()
    const { fleet, another, ask } = await start(t, authority.revocationList([stolen]), env)
    t.equal(await ask(own), '200')
    t.equal(await ask(second), '200', 'two at a time, so that they rotate')
    t.equal(await ask(others, { 'x-api-key': another.key }), '200')
    const admitted = fleet.ledger.entries.length
    t.equal(admitted, 6)
    for (const [presents, headers, expected] of [
      [undefined, {}, '401 CLIENT_CERTIFICATE_MISSING'],
      [others, {}, '401 CLIENT_CERTIFICATE_INVALID'],
      [own, { 'x-api-key': another.key }, '401 CLIENT_CERTIFICATE_INVALID'],
      [createAuthority(t).issue(), {}, '401 CLIENT_CERTIFICATE_INVALID'],
      [stolen, {}, revoked],
      [undefined, { 'client-cert': own.field }, '400 HEADERS_INVALID'],
      [others, { 'client-cert': own.field }, '400 HEADERS_INVALID'],
    ] as const) {
      t.equal(await ask(presents, headers), expected)
    }
    t.equal(fleet.ledger.entries.length, admitted, 'the bank sees none of these')
  },
)

t.test(
  'a changed revocation list counts in every gateway after `tollgate reload`, by itself and by a swapped link; an unusable or replayed one changes nothing',
  { skip: fleetMissing(), timeout: 170_000 },
  async (t) => {
    const early = authority.revocationList()
    const { fleet, gateway, mounted, client, ask, metrics, reload } = await start(t, early)
    const kept = fleet.gateways.map((each) => client(own, each))
    const connected = async () => [...new Set(await Promise.all(kept.map((call) => call())))]
    t.same([await ask(own), await connected()], ['200', ['200']])

    async function failures(): Promise<number> {
      const pattern = /^gateway_file_reloads_total\{files="client_trust",result="failure"\} (\d+)$/m
      return Number(pattern.exec(await metrics())?.[1])
    }
    mounted.write(authority.revocationList([own]))
    t.equal((await reload()).code, 0)
    await until('the command reloads', async () => (await connected()).join() === revoked)
    t.equal(await ask(own), revoked)
    t.equal(await ask(second), '200')

    const damaged = authority.revocationList().replace('-----\nM', '-----\nX')
    for (const unusable of [early, '', authority.pem, damaged]) {
      const before = await failures()
      mounted.write(unusable)
      t.equal((await reload()).code, 0)
      await until('the list is refused', async () => (await failures()) > before)
    }
    t.match(await metrics(), 'gateway_files_refused{files="client_trust"} 1')
    t.match(
      gateway.output.stderr,
      /"files":"client_trust","reason":"there is no revocation list".*the previous ones stay active/,
    )
    t.match(gateway.output.stderr, /revocation list 1 is older than the active one/)
    t.same([await ask(own), await ask(second)], [revoked, '200'])

    mounted.write(authority.revocationList([second]))
    await until('the file is followed', async () => (await ask(second)) === revoked)
    t.same([await ask(own), await connected()], ['200', ['200']])

    mounted.swap(authority.revocationList([own, second], { hours: 48 }))
    await until('the link is followed', async () => (await connected()).join() === revoked)
    t.same([await ask(own), await ask(second)], [revoked, revoked])
    const shown = await metrics()
    t.match(shown, 'gateway_files_refused{files="client_trust"} 0')
    const [, end] =
      /^gateway_client_trust_end_timestamp_seconds\{kind="revocation-list"\} (\S+)$/m.exec(shown) ??
      []
    t.equal(Math.round((Number(end) * 1_000 - Date.now()) / 3_600_000), 48)
  },
)

t.test('the bank judges signing certificates by the same files', async (t) => {
  const mounted = mount(t, authority.revocationList())
  const dataDir = await testDataDir(t)
  const process = await spawnTollgate(t, ['gateway', 'portal', 'backend'], {
    ...mounted.env,
    DATA_DIR: dataDir,
    CONFIG_DIR: testConfigDir(t),
  })
  const stores = await registryBeside(t, dataDir)

  /** An application that signs with this certificate; returns the code of a signed call. */
  async function signer(name: string, seal: Pick<TestCertificate, 'pem' | 'key'>) {
    const { applicationId, key } = await newApplication(stores, name)
    await stores.certificates.add({
      applicationId,
      use: 'signing',
      name: 'seal',
      by: 'test',
      certificate: Buffer.from(seal.pem),
    })
    await stores.applications.setStrict({ id: applicationId, strict: true, by: 'test' })
    return async (): Promise<string | undefined> => {
      const covered = {
        digest: `SHA-256=${createHash('sha256').update('').digest('base64')}`,
        'x-request-id': randomUUID(),
      }
      const response = await fetch(process.urls.gateway + accountsPath, {
        headers: {
          ...covered,
          'x-api-key': key,
          'tpp-signature-certificate': seal.pem.replaceAll('\n', ''),
          signature: signatureOf(covered, createPrivateKey(seal.key)),
        },
      })
      // Parse boundary: an error of the bank.
      const { tppMessages } = (await response.json()) as { tppMessages?: { code: string }[] }
      return tppMessages?.[0]?.code
    }
  }

  const extensions = qsealExtensions('AI')
  const seal = authority.issue({ extensions })
  const signed = await signer('Sealed', seal)
  const good = await signed()
  t.equal(good, 'FORMAT_ERROR', 'the signature passes, the consent is missing')

  const stranger = createAuthority(t)
  const others = {
    'of another authority': [stranger.issue({ extensions }), 'CERTIFICATE_INVALID'],
    'self-signed': [createAuthority(t, { extensions }), 'CERTIFICATE_INVALID'],
    'without the role': [authority.issue({ extensions: qsealExtensions('PI') }), 'ROLE_INVALID'],
  } as const
  for (const [name, [certificate, code]] of Object.entries(others)) {
    t.equal(await (await signer(name, certificate))(), code, name)
  }

  mounted.write(authority.revocationList([seal]))
  process.signal('SIGHUP')
  await until('the list is read', async () => (await signed()) !== good)
  t.equal(await signed(), 'CERTIFICATE_REVOKE')
})
