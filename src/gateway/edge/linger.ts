import type { IncomingMessage, ServerResponse } from 'node:http'

/** Milliseconds for which a body nobody wants is read on, so that the client sees our answer before the connection ends. */
const lingerMs = 1_000

/**
 * Ends a response that is written already, after its client has had the time to
 * read it: closing at once would reset the connection under a client that is
 * still sending, and lose the answer.
 */
export function endAfterLinger(request: IncomingMessage, response: ServerResponse): void {
  const timer = setTimeout(end, lingerMs)
  function end(): void {
    clearTimeout(timer)
    request.off('close', end).off('end', end)
    response.end()
  }
  request.on('end', end).on('close', end)
  request.resume()
}
