// This folder reads what a client sends. Read this file first: it makes a call of a request. `request-fields.ts` reads
// the header block, `trace.ts` the trace, and `portal-origin.ts` recognises the portal's page. `uploads.ts` receives
// bodies, as far as there is memory. What a call may do is decided in `checks/`.

import type { ClientAddress } from '../../../platform/http/client-address.ts'
import type { ClientScheme } from '../../../platform/http/client-scheme.ts'
import { ownCopy } from '../../../platform/own-copy.ts'
import { type AnswerableResponse, type ArrivedRequest, Call, type CallConnection } from '../call.ts'
import type { Published } from '../published.ts'
import { createPortalOrigin } from './portal-origin.ts'
import { createTraceOf, type Sampler } from './trace.ts'

export interface ReceiveCallOptions {
  /** Returns the current catalogue; called once per call. */
  readonly published: () => Published
  readonly clientAddress: ClientAddress
  readonly clientScheme: ClientScheme
  readonly portalUrl: () => string
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  readonly randomUUID: () => string
  readonly isTraceSampled: Sampler
  readonly followsSampledFlag: boolean
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Creates the call of a request, which is then the latest one of its connection. */
export type ReceiveCall = (
  request: ArrivedRequest,
  response: AnswerableResponse,
  connection: CallConnection,
) => Call

export function createReceiveCall(options: ReceiveCallOptions): ReceiveCall {
  const traceOf = createTraceOf(options.isTraceSampled, options.followsSampledFlag)
  const portalOriginOf = createPortalOrigin(options.portalUrl)
  return (request, response, connection) => {
    const { fields } = request
    const { requestId } = fields
    return new Call({
      request,
      response,
      fields,
      published: options.published(),
      target: request.url ?? '',
      requestId:
        requestId !== undefined && uuidPattern.test(requestId)
          ? ownCopy(requestId)
          : options.randomUUID(),
      trace: traceOf(fields),
      address: options.clientAddress(request),
      scheme: options.clientScheme(request),
      portalOrigin: portalOriginOf(fields.origin),
      startedAt: options.monotonic(),
      connection,
    })
  }
}
