import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode } from './errors.ts'
import { type ParserError, parserRefusal } from './parser-errors.ts'

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Undefined unless the answer is one whose request need not be read to its end. */
  readonly refusal?: unknown
}

export interface UnreadableOptions {
  /** The newest of a connection; undefined before its first. */
  readonly latest: (socket: Socket) => Exchange | undefined
  readonly refuseSocket: (code: ErrorCode | undefined, socket: Socket) => void
}

/**
 * Ends a connection whose bytes Node's parser refused, without taking an answer
 * from the request before: a second answer would be read as the first one's.
 */
export function createUnreadableHandler({
  latest,
  refuseSocket,
}: UnreadableOptions): (error: ParserError, socket: Socket) => void {
  return (error, socket) => {
    const exchange = latest(socket)
    if (exchange !== undefined && isQueued(exchange)) {
      // Whatever is said now would be read as the answer to a request before.
      socket.destroy()
      return
    }
    if (exchange === undefined || isOver(exchange) || isBodyBroken(exchange)) {
      refuseSocket(parserRefusal(error), socket)
      return
    }
    const { request, response, refusal } = exchange
    if (refusal !== undefined) {
      // A refusal on its way still arrives; then nothing of the rest of that request is waited for.
      response.end()
      socket.destroySoon()
    } else if (request.complete) {
      // The garbage belongs to a further request. Its predecessor is answered as if nothing had come.
      response.shouldKeepAlive = false
      response.once('finish', () => socket.destroySoon())
    } else socket.destroy()
  }
}

/** Whether what comes on its connection belongs to another request, and nothing is owed. */
function isOver({ request, response }: Exchange): boolean {
  return request.complete && response.writableFinished
}

/** Whether the request could not be read to its end while others before it wait for their answers. */
function isQueued({ request, response }: Exchange): boolean {
  return !request.complete && !response.headersSent && response.socket === null
}

/** Whether the request itself could not be read to its end, and nothing is answered yet. */
function isBodyBroken({ request, response }: Exchange): boolean {
  return !request.complete && !response.headersSent
}
