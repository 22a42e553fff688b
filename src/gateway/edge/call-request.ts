import { IncomingMessage } from 'node:http'
import { type RequestFields, readFields } from './request-fields.ts'

/**
 * A request with its header block read our way. `headers`, Node's own view of
 * it, is empty for a request without a body: Node's server looks into it once
 * per request, for the fields that frame a body, and to have it built for that
 * was 3 µs of a call. Whatever comes behind the checks needs none of it then.
 */
export class CallRequest extends IncomingMessage {
  #fields: RequestFields | undefined

  /** Read when first asked for. */
  get fields(): RequestFields {
    this.#fields ??= readFields(this.rawHeaders)
    return this.#fields
  }
}

const nodesView = Object.getOwnPropertyDescriptor(IncomingMessage.prototype, 'headers')
const noHeaders = Object.freeze({})

// To the compiler `headers` is a property, which cannot become an accessor.
Object.defineProperty(CallRequest.prototype, 'headers', {
  get(this: CallRequest): unknown {
    const { contentLength, transferEncoding, expect } = this.fields
    const isBare =
      contentLength === undefined && transferEncoding === undefined && expect === undefined
    return isBare ? noHeaders : nodesView?.get?.call(this)
  },
})
