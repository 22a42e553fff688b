import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Test } from './database.ts'
import { until } from './until.ts'

/** Node publishes there each TCP connection of this process, from both ends. */
const channels = ['net.client.socket', 'net.server.socket']

/**
 * Follows the TCP connections of this process that open from now on, until the
 * test ends.
 *
 * @returns waits until the other end of a connection has read all octets that
 * were written to this one
 */
export function followTaken(t: Test): (socket: Socket) => Promise<void> {
  const opened: Socket[] = []
  function follow(message: unknown): void {
    // Node documents the message.
    opened.push((message as { readonly socket: Socket }).socket)
  }
  for (const channel of channels) subscribe(channel, follow)
  t.teardown(() => {
    for (const channel of channels) unsubscribe(channel, follow)
  })
  return async ({ localPort, remotePort, bytesWritten }) => {
    await until('the other end has read all', () =>
      opened.some(
        (end) =>
          end.localPort === remotePort &&
          end.remotePort === localPort &&
          end.bytesRead === bytesWritten,
      ),
    )
  }
}
