import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { OctetWriter } from '../../src/platform/http/octet-writer.ts'
import { listenOnLoopback } from '../support/loopback.ts'

/** A server that keeps what its connections send, in the order in which they opened. */
async function listener(t: Test) {
  const received: Promise<Buffer>[] = []
  const server = createServer((socket) => void received.push(buffer(socket)))
  const port = await listenOnLoopback(server)
  t.teardown(() => server.close())
  return { received, open: (): Socket => connect({ port, host: '127.0.0.1' }) }
}

t.test(
  'a message that the system does not take at once is not overwritten by the next',
  async (t) => {
    const { received, open } = await listener(t)
    const writer = new OctetWriter()
    const first = open()
    writer.text('first, while the connection is not open yet')
    writer.writeTo(first)
    await once(first, 'connect')
    const second = open()
    await once(second, 'connect')
    const third = open()
    writer.begin()
    writer.text('third, before it is open')
    writer.writeTo(third)
    writer.begin()
    for (const part of ['second, ', 'in parts']) writer.text(part)
    writer.writeTo(second)
    for (const socket of [first, second, third]) socket.end()
    await once(third, 'close')
    const texts = await Promise.all(received)
    t.same(texts.map(String), [
      'first, while the connection is not open yet',
      'second, in parts',
      'third, before it is open',
    ])
  },
)

t.test('a message has the octets of its parts, however long they are', async (t) => {
  const { received, open } = await listener(t)
  const writer = new OctetWriter()
  const socket = open()
  await once(socket, 'connect')
  const long = 'é'.repeat(70_000)
  writer.text('short \xff')
  writer.text(long)
  writer.octets(Buffer.alloc(200_000, 1))
  t.equal(writer.length, 270_007)
  writer.begin()
  writer.text('short \xff')
  writer.text(long)
  writer.octets(Buffer.alloc(200_000, 1))
  writer.writeTo(socket)
  writer.begin()
  writer.text('next')
  writer.writeTo(socket)
  socket.end()
  const [octets] = await Promise.all(received)
  t.equal(octets?.length, 270_011)
  t.equal(octets?.toString('latin1').slice(0, 70_007), `short \xff${long}`)
  t.equal(octets?.toString('latin1').slice(-4), 'next')
})
