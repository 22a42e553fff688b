import type { Server } from 'node:net'

/** Has the server listen on any free port of loopback; resolves to that port. The caller ends the server. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
