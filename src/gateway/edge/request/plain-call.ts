import type { Socket } from 'node:net'
import type { PlainHead } from '../../../platform/http/plain/plain-head.ts'
import { PlainResponse, type ResponseOwner } from '../../../platform/http/plain/plain-response.ts'
import type { Call } from '../call.ts'
import { type RequestFields, readFields } from './request-fields.ts'

/** A plain request: what the gateway uses of Node's, without a stream, because it has no body. */
export class PlainCallRequest {
  readonly method = 'GET'
  readonly httpVersion = '1.1'
  readonly complete = true
  readonly url: string
  readonly rawHeaders: readonly string[]
  readonly socket: Socket
  readonly fields: RequestFields

  constructor({ target, rawHeaders }: PlainHead, socket: Socket) {
    this.url = target
    this.rawHeaders = rawHeaders
    this.socket = socket
    this.fields = readFields(rawHeaders)
  }
}

/** The response to a plain request, which knows its call. */
export class PlainCallResponse extends PlainResponse {
  call: Call | undefined = undefined

  endWith(octets: Buffer): void {
    this.end(octets)
  }
}

/** What arrived as a plain request. */
export function plainCall(head: PlainHead, owner: ResponseOwner) {
  return {
    request: new PlainCallRequest(head, owner.socket),
    response: new PlainCallResponse(owner),
  }
}
