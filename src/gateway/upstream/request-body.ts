import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/** The body of a request on its way. */
export interface SendingBody {
  /** Whether all of it was handed to the socket. */
  readonly isSent: boolean
  /** Stops reading it. */
  stop(): void
}

/**
 * Writes a body to a socket as fast as that takes it.
 *
 * @param isChunked in the chunked coding (RFC 9112, 7.1); else its length is declared, and kept by whoever made it
 */
export function sendBody(body: Readable, socket: Socket, isChunked: boolean): SendingBody {
  let isSent = false

  function write(chunk: Buffer): void {
    if (socket.destroyed) return
    if (isChunked) socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
    const isTaken = socket.write(chunk)
    if (isChunked) socket.write('\r\n', 'latin1')
    if (!isTaken) body.pause()
  }

  function end(): void {
    isSent = true
    stop()
    if (isChunked) socket.write('0\r\n\r\n', 'latin1')
  }

  function goOn(): void {
    body.resume()
  }

  function stop(): void {
    body.off('data', write).off('end', end)
    socket.off('drain', goOn)
  }

  // An empty piece would end the body in the chunked coding, and streams of octets have none.
  body.on('data', write).on('end', end)
  socket.on('drain', goOn)
  return {
    get isSent() {
      return isSent
    },
    stop,
  }
}
