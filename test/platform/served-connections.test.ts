import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { trackConnections } from '../../src/platform/http/served-connections.ts'
import { exchangeMs, lastUploadMs, stopTimes } from '../../src/platform/http/stop-times.ts'

const { longestCallMs } = stopTimes(exchangeMs)

import { until } from '../support/until.ts'

const call = 'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n'

/** A server with one connection, on which the first call has arrived. */
async function start(t: Test, isEnding = false) {
  const server = createServer()
  const connections = trackConnections(server, () => isEnding)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const bound = server.address()
  const client = connect(typeof bound === 'object' && bound !== null ? bound.port : 0, '127.0.0.1')
  t.teardown(() => client.destroy())
  client.write(call)
  const [request, response] = await once(server, 'request')
  return { server, connections, client, request, response }
}

t.test(
  'after the port has closed a call has time for its upload and the bank, and no more',
  async (t) => {
    const { server, connections, client, request } = await start(t)
    const ended = once(client.resume(), 'close')
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    const closed = connections.close()
    while (server.listening) await turn()
    await turn()
    mock.timers.tick(longestCallMs - 1)
    t.equal(request.socket.destroyed, false)
    mock.timers.tick(1)
    await Promise.all([ended, closed])
    mock.timers.reset()
    t.ok(longestCallMs > lastUploadMs + exchangeMs)
  },
)

t.test('a call that arrives at the moment when the port closes is served', async (t) => {
  const { server, connections, client, response } = await start(t)
  let text = ''
  client.on('data', (chunk) => (text += chunk)).on('error', () => undefined)
  response.end('first')
  await until('it is answered', () => text.includes('first'))
  server.on('request', (_request, response) => response.end('second'))
  // The server has looked for new connections for the last time, and closes its port next.
  server.on('removeListener', (name) => {
    if (name === 'connection') client.write(call)
  })
  const ended = new Promise((resolve) => client.once('close', resolve))
  await Promise.all([connections.close(), ended])
  t.match(text, /connection: close.*second/is)
})

t.test('a connection of the drain is kept as long as the port is open', async (t) => {
  const { server, connections, client, response } = await start(t, true)
  const kept: (readonly [isOpen: boolean, isKept: boolean])[] = []
  let text = ''
  client.on('data', (chunk) => (text += chunk)).on('error', () => undefined)
  response.end('first')
  await until('it is answered', () => text.includes('first'))
  server.on('request', (_request, response) => {
    kept.push([server.listening, response.shouldKeepAlive])
    response.end('next')
  })
  // As long as turns are long, the server looks for new connections.
  let clock = 0
  const { mock: reading } = mock.method(performance, 'now', () => (clock += 0.1))
  t.teardown(() => reading.restore())
  const closed = connections.close()
  while (!text.includes('next') && !client.closed) {
    if (kept.length === 0) client.write(call)
    await turn()
  }
  reading.restore()
  while (server.listening) await turn()
  client.write(call)
  await closed
  t.ok(kept.length > 1)
  t.ok(kept.every(([isOpen, isKept]) => isOpen === isKept))
})
