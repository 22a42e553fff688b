import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/** The body of a request on its way. */
export interface SendingBody {
  /** Whether all of it was handed to the socket. */
  readonly isSent: boolean
  /** How often the socket has taken all it was given, after it had been full. */
  readonly drains: number
  /** Sends no more of it. What is left is read away: whoever sends it must not wait for somebody to take it. */
  stop(): void
}

/**
 * Writes a body to a socket as fast as that takes it.
 *
 * @param isChunked in the chunked coding (RFC 9112, 7.1); else its length is declared, and kept by whoever made it
 */
export function sendBody(body: Readable, socket: Socket, isChunked: boolean): SendingBody {
  let isSent = false
  let drains = 0

  function write(chunk: Buffer): void {
    if (socket.destroyed) return
    // The three pieces leave as one.
    if (isChunked) {
      socket.cork()
      socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
    }
    socket.write(chunk)
    if (isChunked) {
      socket.write('\r\n', 'latin1')
      socket.uncork()
    }
    if (socket.writableNeedDrain) body.pause()
  }

  function end(): void {
    isSent = true
    forget()
    if (isChunked) socket.write('0\r\n\r\n', 'latin1')
  }

  function goOn(): void {
    drains += 1
    body.resume()
  }

  function forget(): void {
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
    get drains() {
      return drains
    },
    stop() {
      if (isSent) return
      forget()
      body.resume()
    },
  }
}
