import type { Socket } from 'node:net'
import type { ErrorCode } from '../../platform/errors.ts'
import type { Call } from './call.ts'
import { type ParserError, parserRefusal } from './parser-errors.ts'

export interface UnreadableOptions {
  /** The newest call of a connection; undefined before its first. */
  readonly latest: (socket: Socket) => Call | undefined
  readonly refuseSocket: (code: ErrorCode | undefined, socket: Socket) => void
}

/**
 * Ends a connection whose bytes Node's parser refused, without taking an answer
 * from the call before: a second answer would be read as the first one's.
 */
export function createUnreadableHandler({
  latest,
  refuseSocket,
}: UnreadableOptions): (error: ParserError, socket: Socket) => void {
  return (error, socket) => {
    const call = latest(socket)
    if (call === undefined || isOver(call) || isBodyBroken(call)) {
      refuseSocket(parserRefusal(error), socket)
      return
    }
    const { response } = call
    if (call.refusal !== undefined) {
      // A refusal on its way still arrives; then nothing of the rest of that request is waited for.
      response.end()
      socket.destroySoon()
    } else if (call.request.complete) {
      // The garbage belongs to a further request. Its predecessor is answered as if nothing had come.
      response.shouldKeepAlive = false
      response.once('finish', () => socket.destroySoon())
    } else socket.destroy()
  }
}

/** Whether what comes on its connection belongs to another request, and nothing is owed. */
function isOver({ request, response }: Call): boolean {
  return request.complete && response.writableFinished
}

/** Whether the call itself could not be read to its end, and nothing is answered yet. */
function isBodyBroken({ request, response }: Call): boolean {
  return !request.complete && !response.headersSent
}
