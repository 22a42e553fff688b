import { once } from 'node:events'
import { createServer } from 'node:net'
import t from 'tap'
import { freePort } from '../../src/platform/http/free-port.ts'

const host = '127.0.0.1'

t.test('each free port is a new one, below those that Linux assigns to connections', async (t) => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort({ host, port: 0 })))
  t.equal(new Set(ports).size, 20)
  t.ok(ports.every((port) => port >= 10_000 && port < 32_768))
})

t.test('a port that is in use is skipped', async (t) => {
  const taken = (await freePort({ host, port: 0 })) + 1
  const server = createServer().listen(taken, host)
  t.teardown(() => server.close())
  // If it cannot listen, another program has the port, which is as good.
  await once(server, 'listening').catch(() => undefined)
  t.not(await freePort({ host, port: 0 }), taken)
})

t.test('a port that was asked for is returned as it is', async (t) => {
  t.equal(await freePort({ host, port: 8080 }), 8080)
})

t.test('no port is free at an address of another machine', async (t) => {
  await t.rejects(freePort({ host: '192.0.2.1', port: 0 }), { code: 'EADDRNOTAVAIL' })
})
