import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import { resetConnection } from '../../src/platform/http/reset-connection.ts'
import { openConnection } from '../support/open-connection.ts'

t.test('a connection that is ending is destroyed without a failed reset', async (t) => {
  const server = createServer((socket) => socket.on('error', () => undefined).resume())
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const { socket } = openConnection(`http://127.0.0.1:${port}`)
  const failed: string[] = []
  socket.on('error', ({ message }) => failed.push(message))
  await once(socket, 'connect')
  socket.end('x')
  resetConnection(socket)
  await once(socket, 'close')
  t.strictSame(failed, [])
})
