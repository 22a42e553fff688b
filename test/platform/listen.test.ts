import { execFileSync } from 'node:child_process'
import dns from 'node:dns'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import fastify from 'fastify'
import t from 'tap'
import { listen } from '../../src/platform/http/listen.ts'
import { PortsTaken, probePorts } from '../../src/platform/http/probe-ports.ts'

const clients = 1_500
const systemMax =
  process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 0

/** Opens the clients at once, and ends when all are connected. */
const connectAll = `
  const { connect } = require('node:net')
  let connected = 0
  for (let at = 0; at < ${clients}; at += 1) {
    connect(Number(process.argv[1]), '127.0.0.1', () => {
      connected += 1
      if (connected === ${clients}) process.exit()
    }).on('error', () => undefined)
  }`

t.test(
  'clients that connect together need no second attempt, even before the process accepts any',
  { skip: systemMax < clients && `this system keeps only ${systemMax} connections waiting` },
  async (t) => {
    const app = fastify()
    t.teardown(() => app.close())
    const url = await listen(app, 'GATEWAY', { host: '127.0.0.1', port: 0 })
    // This process accepts nothing while it waits for the other one, so a client that finds no room never connects.
    const program = ['-e', connectAll, new URL(url).port]
    t.doesNotThrow(() => execFileSync(process.execPath, program, { timeout: 60_000 }))
  },
)

t.test(
  'a listener on localhost is one server even if the name has two addresses, so its stop covers every connection',
  async (t) => {
    const lookup = dns.lookup
    t.teardown(() => Object.assign(dns, { lookup }))
    const both = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
    const lookUp = (name: string, options: object, done: (...found: unknown[]) => void) =>
      name === 'localhost' ? done(null, both) : lookup(name, options, done)
    Object.assign(dns, { lookup: lookUp })
    const app = fastify()
    t.teardown(() => app.close())
    app.get('/', async () => 'served')
    const url = await listen(app, 'PORTAL', { host: 'localhost', port: 0 })
    t.match(url, /^http:\/\/localhost:\d+$/)
    t.same(
      app.addresses().map((bound) => typeof bound === 'object' && bound.address),
      ['127.0.0.1'],
    )
    t.equal(await (await fetch(url)).text(), 'served')
  },
)

t.test(
  'a listener on localhost does not start beside a program at [::1], which would get its visitors',
  async (t) => {
    const other = createServer()
    t.teardown(() => other.close())
    const hasIpv6 = await new Promise<boolean>((resolve) => {
      other.once('error', () => resolve(false)).listen(0, '::1', () => resolve(true))
    })
    const bound = other.address()
    const port = typeof bound === 'object' ? (bound?.port ?? 0) : 0
    const probe = (host: string) =>
      probePorts([{ setting: 'PORTAL', address: { host, port } }], 'start')
    if (hasIpv6) {
      await t.rejects(probe('localhost'), {
        message: /PORTAL_PORT: cannot listen on localhost:\d+: another program/,
      })
    }
    await t.resolves(probe('127.0.0.1'))
    await new Promise((resolve) => other.close(resolve))
    await t.resolves(probe('localhost'), 'also without IPv6')
  },
)

t.test(
  'processes share a port only where each says so',
  { skip: process.platform !== 'linux' && 'only Linux divides connections' },
  async (t) => {
    const bind = (port: number, isShared: boolean) => {
      const app = fastify()
      t.teardown(() => app.close())
      return listen(app, 'GATEWAY', { host: '127.0.0.1', port }, { isShared })
    }
    const shared = Number(new URL(await bind(0, true)).port)
    t.equal(Number(new URL(await bind(shared, true)).port), shared)
    await t.rejects(bind(shared, false), {
      message: /GATEWAY_PORT: .* another program, or another listener of Tollgate, uses the port/,
    })
    const own = Number(new URL(await bind(0, false)).port)
    await t.rejects(bind(own, true), {
      message: /another program, or another listener of Tollgate, uses the port/,
    })

    const address = { host: '127.0.0.1', port: shared }
    await t.rejects(probePorts([{ setting: 'GATEWAY', address }], 'start'), PortsTaken)
  },
)

t.test(
  'a start resets no connection of the processes that share its port',
  { skip: process.platform !== 'linux' && 'only Linux divides connections' },
  async (t) => {
    const app = fastify()
    t.teardown(() => app.close())
    app.get('/', async () => 'served')
    const url = await listen(app, 'GATEWAY', { host: '127.0.0.1', port: 0 }, { isShared: true })
    const address = { host: '127.0.0.1', port: Number(new URL(url).port) }
    const call = async () => (await fetch(url, { headers: { connection: 'close' } })).text()
    for (let start = 0; start < 20; start++) {
      const probe = probePorts([{ setting: 'GATEWAY', address, isShared: true }], 'start')
      const answers = await Promise.all(Array.from({ length: 20 }, call))
      await probe
      t.same(new Set(answers), new Set(['served']))
    }
  },
)
