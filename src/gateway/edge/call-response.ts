import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Call, GrantedCall } from './call.ts'

/** A response that knows its call, for events and routers that pass only the response. */
export class CallResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  call: Call | undefined = undefined
  /** The same, once it was granted. */
  granted: GrantedCall | undefined = undefined
}
