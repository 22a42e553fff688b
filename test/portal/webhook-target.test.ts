import { createSocket } from 'node:dgram'
import { mock } from 'node:test'
import t from 'tap'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { lookUp } from '../../src/portal/alerts/look-up.ts'
import { isPublicAddress } from '../../src/portal/alerts/public-address.ts'
import { createWebhookTargets } from '../../src/portal/alerts/webhook-target.ts'
import { until } from '../support/until.ts'

t.test('webhooks reach public addresses alone', async (t) => {
  for (const address of [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.8.8.8',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.0.8',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.9',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    'fe80::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    '100::1',
    'fec0::1',
    '3fff::1',
    'nonsense',
    '',
  ]) {
    t.notOk(isPublicAddress(address), `${address} is refused`)
  }
  for (const address of [
    '1.1.1.1',
    '93.184.215.14',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
  ]) {
    t.ok(isPublicAddress(address), `${address} is allowed`)
  }
})

const remote = { webhookNetworks: [] }
const { signal } = new AbortController()

t.test(
  'an address is refused however it is spelled, and a name by what it stands for',
  async (t) => {
    const names: Record<string, string[]> = {
      'inner.example': ['10.0.0.5'],
      'mixed.example': ['1.1.1.1', '127.0.0.1'],
      'mapped.example': ['::ffff:169.254.169.254'],
      'outer.example': ['1.1.1.1', '2606:4700::1111'],
      'nothing.example': [],
    }
    const lookup = async (name: string) => names[name] ?? []
    const targets = createWebhookTargets({ settings: remote, lookup })
    for (const url of [
      'http://outer.example/',
      'ftp://outer.example/',
      'javascript:alert(1)',
      'nonsense',
      '',
      'https://u:p@outer.example/',
      'https://outer.example/#x',
      'https://outer.example/#',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://0177.0.0.1/',
      'https://127.1/',
      'https://[::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://localhost/',
      'https://169.254.169.254/latest/meta-data',
      `https://outer.example/${'x'.repeat(500)}`,
    ]) {
      t.match(targets.read(url), { rule: /^an https address/ }, url.slice(0, 60))
    }
    t.same(targets.read('https://outer.example/a?b=c'), { url: 'https://outer.example/a?b=c' })
    for (const name of ['inner', 'mixed', 'mapped', 'nothing']) {
      await t.rejects(
        targets.resolve(`https://${name}.example/`, signal),
        { message: /public internet/ },
        name,
      )
    }
    const found = await targets.resolve('https://outer.example/', signal)
    t.match(
      found,
      { address: '1.1.1.1', family: 4 },
      'the request goes to the address that was checked',
    )

    const settings = { webhookNetworks: ['10.0.0.0/24'] }
    const own = createWebhookTargets({ settings, lookup })
    t.match(
      await own.resolve('https://inner.example/', signal),
      { address: '10.0.0.5' },
      'WEBHOOK_NETWORKS',
    )
    t.match(own.read('http://10.0.0.5/'), { rule: /https/ })
    t.equal(own.isLocalAllowed, false)
    const local = createWebhookTargets({
      settings: { webhookNetworks: ['127.0.0.0/8', '::1'] },
      lookup,
    })
    t.match(local.read('http://127.0.0.1:9/hook'), { url: 'http://127.0.0.1:9/hook' })
    t.equal(local.isLocalAllowed, true)
    t.match(local.read('http://outer.example/'), { rule: /this machine/ })
    t.match(local.read('https://10.0.0.5/'), { rule: /https/ })
  },
)

t.test(
  'only an embedded installation that its own machine alone reaches may call this machine',
  async (t) => {
    const of = (env: Record<string, string>) => readSettings(env).webhookNetworks
    const own = ['127.0.0.0/8', '::1']
    t.same(of({}), own)
    t.same(of({ PORTAL_PUBLIC_URL: 'http://localhost:8081' }), own)
    for (const env of [
      { DATABASE_URL: 'postgres://host/tollgate' },
      { PORTAL_HOST: '0.0.0.0' },
      { PORTAL_PUBLIC_URL: 'https://developer.bank.example' },
      { TRUSTED_PROXIES: '127.0.0.1' },
    ]) {
      t.same(of(env), [], JSON.stringify(env))
    }
    t.same(
      of({ WEBHOOK_NETWORKS: '10.0.0.0/24' }),
      ['10.0.0.0/24'],
      'what is named, and nothing else',
    )
  },
)

t.test(
  'a DNS server that answers only about IPv4 does not hold up the address it gave',
  async (t) => {
    const half = createSocket('udp4')
    let unanswered = 0
    half.on('message', (query, { port, address }) => {
      // The type of the question is before its class, at the end without EDNS; 1 is A.
      const end = query.indexOf(0, 12) + 5
      if (query.readUInt16BE(end - 4) !== 1) {
        unanswered += 1
        return
      }
      const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
      const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7])
      half.send(Buffer.concat([head, query.subarray(12, end), answer]), port, address)
    })
    await new Promise<void>((resolve) => half.bind(0, '127.0.0.1', resolve))
    t.teardown(() => half.close())
    const servers = [`127.0.0.1:${half.address().port}`]
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    const found: (readonly string[])[] = []
    void lookUp('half.example', signal, servers).then((addresses) => found.push(addresses))
    await until('the look-up ends', () => {
      mock.timers.tick(500)
      return found.length > 0
    })
    t.same(found, [['192.0.2.7']])
    t.equal(unanswered, 1, 'it does not ask a second time')
  },
)

t.test('a look-up whose DNS server is silent ends when it is given up', async (t) => {
  const silent = createSocket('udp4')
  let asked = 0
  silent.on('message', () => {
    asked += 1
  })
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve))
  t.teardown(() => silent.close())
  const servers = [`127.0.0.1:${silent.address().port}`]
  const giveUp = new AbortController()
  const looking = lookUp('silent.example', giveUp.signal, servers)
  await until('the server was asked', () => asked > 0)
  giveUp.abort(new Error('given up'))
  await t.rejects(looking, { message: 'given up' })
  t.same(await lookUp('localhost', signal), ['127.0.0.1'])
})
