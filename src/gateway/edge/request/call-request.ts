import { IncomingMessage } from 'node:http'
import { type RequestFields, readFields } from './request-fields.ts'

/**
 * A request with its header block as the gateway reads it. For a request
 * without a body, `headers`, Node's own view, is empty: Node's server reads it
 * once per request to frame a body, and building it took 3 µs per call. Code
 * behind the checks does not use it for such requests.
 */
export class CallRequest extends IncomingMessage {
  #fields: RequestFields | undefined
  #isDiscarding = false

  /** Parsed on first use. */
  get fields(): RequestFields {
    this.#fields ??= readFields(this.rawHeaders)
    return this.#fields
  }

  /**
   * Drops data that arrives from now on. Passing thousands of tiny chunks
   * through a stream costs as much as parsing them.
   */
  discard(): void {
    this.#isDiscarding = true
  }

  override push(chunk: Buffer | null): boolean {
    return this.#isDiscarding && chunk !== null ? true : super.push(chunk)
  }
}

const nodesView = Object.getOwnPropertyDescriptor(IncomingMessage.prototype, 'headers')
const noHeaders = Object.freeze({})

// TypeScript declares `headers` as a property, which a subclass cannot turn into an accessor.
Object.defineProperty(CallRequest.prototype, 'headers', {
  get(this: CallRequest): unknown {
    const { contentLength, transferEncoding, expect } = this.fields
    const isBare =
      contentLength === undefined && transferEncoding === undefined && expect === undefined
    return isBare ? noHeaders : nodesView?.get?.call(this)
  },
})
