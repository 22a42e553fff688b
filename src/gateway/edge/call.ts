import { type IncomingMessage, ServerResponse } from 'node:http'
import type { ApiVersion, Operation } from '../../catalogue/catalogue.ts'
import type { CallDrill } from '../../platform/http/drills.ts'
import type { ErrorCode } from '../../platform/http/errors.ts'
import type { RawRequest } from '../../platform/http/header-values.ts'
import type { OwedResponse } from '../../platform/http/owed-response.ts'
import type { Refusal } from '../../platform/http/problem.ts'
import type { Caller } from '../../registry/registry.ts'
import type { Grant } from '../counters/counter.ts'
import type { ClientCertificate } from './client-certificates.ts'
import type { Entitlement } from './entitlement.ts'
import type { Published } from './published.ts'
import { CallRequest } from './request/call-request.ts'
import type { RequestFields } from './request/request-fields.ts'
import type { Trace } from './request/trace.ts'

/** The parts of a request target. */
export interface Target {
  /** As `canonicalPath` spells it. */
  readonly path: string
  /** As the client wrote it. */
  readonly writtenPath: string
  /** With its question mark, byte for byte, or an empty string. */
  readonly query: string
}

/** A request as Node's server or the gateway itself has read it. */
export interface ArrivedRequest extends RawRequest {
  readonly method?: string | undefined
  readonly httpVersion: string
  /** As the client sent it. */
  readonly url?: string | undefined
  /** Whether the whole request has arrived. */
  readonly complete: boolean
  readonly fields: RequestFields
}

/** A response that knows its call. */
export interface AnswerableResponse extends OwedResponse {
  call: Call | undefined
  /**
   * Ends with a short body, which leaves together with the head.
   *
   * @param octets copied before this returns
   */
  endWith(octets: Buffer): void
}

/** What a call arrived with: the facts known before its first check. */
export interface CallStart {
  readonly request: ArrivedRequest
  readonly response: AnswerableResponse
  readonly fields: RequestFields
  readonly published: Published
  /** The request target as the client sent it. */
  readonly target: string
  /** The client's X-Request-ID if it is a UUID; otherwise a generated one, for the log and the gateway's own responses. */
  readonly requestId: string
  /** Client address, determined with TRUSTED_PROXIES. */
  readonly address: string
  readonly trace: Trace
  /** How the client reached the edge, determined with TRUSTED_PROXIES. */
  readonly scheme: 'http' | 'https'
  /** Origin of the portal's page if that page makes the call; undefined for every other caller. */
  readonly portalOrigin: string | undefined
  /** Monotonic milliseconds. */
  readonly startedAt: number
  readonly connection: CallConnection
}

/** The connection of a client. */
export interface CallConnection {
  /** How many calls began on it. */
  calls: number
  /** The newest call; undefined once what follows does not depend on it, so that an idle connection keeps no call. */
  latest: Call | undefined
}

/** A call whose target has been split. */
export type TargetedCall = Call & Known<'path'>
/** A call whose operation is known. */
export type RoutedCall = TargetedCall & Known<'version' | 'operation'>
/**
 * A call whose framing was judged. Unlike the brands below, `isFramed` exists at
 * run time, because `refuse.ts` reads it: the end of the request is known, so
 * the connection may stay open.
 */
export type FramedCall = RoutedCall & { readonly isFramed: true }
/** A call whose client certificate, if it came with one, was judged. */
export type CertifiedCall = FramedCall & Passed<'certified'>
/** A call whose application is known. */
export type AuthenticatedCall = CertifiedCall & Known<'caller'>
/** A call whose certificate, if it came with one, is its application's. */
export type BoundCall = AuthenticatedCall & Passed<'bound'>
/** A call that its application may make under a plan. */
export type EntitledCall = BoundCall & Known<'entitlement'>
/** A call whose body, if it has one, is here as a whole. */
export type ReceivedCall = EntitledCall & Passed<'received'>
/**
 * A call that may be forwarded: counted, or above its limit in a plan that only
 * observes (then `grant.admitted` is false).
 */
export type GrantedCall = ReceivedCall & Known<'grant'>

/** When something began and ended, in monotonic milliseconds. */
export interface Timing {
  readonly name: string
  readonly from: number
  readonly to: number
}

declare const passed: unique symbol
/** A check that a call has passed and that leaves no fact of its own: a brand, which exists only in types. */
type Passed<Check extends string> = { readonly [passed]: Readonly<Record<Check, true>> }

/** Facts that are no longer missing. */
type Known<Fact extends keyof Call> = {
  readonly [Name in Fact]: Exclude<Call[Name], undefined>
}

/**
 * One request on its way from its header block to the end of its response.
 *
 * A call grows: each of the methods below adds facts and returns the same call
 * as its next stage. A check states the stage it needs and the stage it leaves.
 * So a table of checks that lacks a stage does not compile, and neither does a
 * call that is forwarded without a grant. For observers, who see calls that
 * were refused at any stage, every later fact may be missing.
 */
export class Call {
  readonly request: ArrivedRequest
  readonly response: AnswerableResponse
  readonly fields: RequestFields
  readonly published: Published
  readonly target: string
  readonly requestId: string
  readonly address: string
  readonly trace: Trace
  readonly scheme: 'http' | 'https'
  readonly portalOrigin: string | undefined
  readonly startedAt: number
  /** The previous call on the connection while its response is pending. */
  before: Call | undefined
  readonly #connection: CallConnection

  /** The path without the query, as `canonicalPath` spells it. */
  path: string | undefined = undefined
  /** The same as the client wrote it. */
  writtenPath = ''
  /** The query with its question mark, byte for byte, or an empty string. */
  query = ''
  /** The version in the path. */
  version: ApiVersion | undefined = undefined
  /** The path as that version publishes it, with the names of its parameters. */
  publishedPath: string | undefined = undefined
  /** Versions of the API that have an operation with this method and path. */
  availableIn: readonly string[] = []
  operation: Operation | undefined = undefined
  isFramed = false
  /** The client's certificate, which holds; undefined without one. */
  certificate: ClientCertificate | undefined = undefined
  caller: Caller | undefined = undefined
  entitlement: Entitlement | undefined = undefined
  /** The answer that the call asks for; undefined for every call but a drill. A `refused` one gets no further. */
  drill: CallDrill | undefined = undefined
  /** Whether the client got 100 Continue. */
  wasBodyAskedFor = false
  /** All octets of the request body, in pieces; undefined without a body. */
  body: readonly Buffer[] | undefined = undefined
  /** Milliseconds for which the gateway waited for that body. */
  bodyMs = 0
  grant: Grant | undefined = undefined

  /** The exchange with the backend; undefined until the call is forwarded. */
  exchange: { clientClosed(): void } | undefined = undefined
  /** Monotonic milliseconds when the request went to the backend; 0 before. */
  forwardedAt = 0
  /** Monotonic milliseconds when the backend's response was complete or abandoned; 0 before. */
  answeredAt = 0
  /** When checks of a sampled call began and ended; undefined unless spans are sent. */
  timings: Timing[] | undefined = undefined
  /** Monotonic milliseconds when the backend's response began to leave; 0: it did not. */
  firstByteAt = 0
  /** Code of the refusal if the gateway refused the call. */
  refusal: ErrorCode | undefined = undefined
  /** The detail of that refusal; it repeats nothing from the request. */
  refusalDetail: string | undefined = undefined
  /** Further members of its problem document. */
  refusalMembers: Refusal['members'] = undefined
  /** Whether the gateway answered without a refusal: a preflight or `OPTIONS *`. */
  isPreflight = false
  /** Whether the checks have ended and their outcome was carried out. */
  isChecked = false
  /** Whether the observer has seen the finished call. */
  isReported = false
  #isOver = false
  #giveBacks: (() => void)[] | undefined = undefined

  constructor(start: CallStart) {
    this.request = start.request
    this.response = start.response
    this.fields = start.fields
    this.published = start.published
    this.target = start.target
    this.requestId = start.requestId
    this.address = start.address
    this.trace = start.trace
    this.scheme = start.scheme
    this.portalOrigin = start.portalOrigin
    this.startedAt = start.startedAt
    const { connection } = start
    const { latest } = connection
    this.before = latest?.isOver === false ? latest : undefined
    connection.calls += 1
    connection.latest = this
    this.#connection = connection
  }

  targeted({ path, writtenPath, query }: Target): TargetedCall {
    this.path = path
    this.writtenPath = writtenPath
    this.query = query
    return this as TargetedCall
  }

  /** The path is known, even if the version has no operation with this method there. */
  matched(version: ApiVersion, publishedPath: string, availableIn: readonly string[]): void {
    this.version = version
    this.publishedPath = publishedPath
    this.availableIn = availableIn
  }

  routed(this: TargetedCall, operation: Operation): RoutedCall {
    this.operation = operation
    return this as RoutedCall
  }

  framed(this: RoutedCall): FramedCall {
    this.isFramed = true
    return this as FramedCall
  }

  /** @param certificate undefined without one */
  certified(this: FramedCall, certificate: ClientCertificate | undefined): CertifiedCall {
    this.certificate = certificate
    return this as CertifiedCall
  }

  authenticated(this: CertifiedCall, caller: Caller): AuthenticatedCall {
    this.caller = caller
    return this as AuthenticatedCall
  }

  bound(this: AuthenticatedCall): BoundCall {
    return this as BoundCall
  }

  entitled(this: BoundCall, entitlement: Entitlement): EntitledCall {
    this.entitlement = entitlement
    return this as EntitledCall
  }

  /** From now on, the call is a drill. */
  drilled(this: EntitledCall, drill: CallDrill): EntitledCall {
    this.drill = drill
    return this
  }

  /** @param body undefined if the request has none */
  received(this: EntitledCall, body: readonly Buffer[] | undefined): ReceivedCall {
    this.body = body
    return this as ReceivedCall
  }

  granted(this: ReceivedCall, grant: Grant): GrantedCall {
    this.grant = grant
    return this as GrantedCall
  }

  /** The grant that refuses the call; its response shows the state of the limits. */
  refusedBy(this: EntitledCall, grant: Grant): void {
    this.grant = grant
  }

  /** Whether the request has a body (length 0 counts as no body). */
  get hasBody(): boolean {
    const { transferEncoding, contentLength } = this.fields
    return transferEncoding !== undefined || (contentLength !== undefined && contentLength !== '0')
  }

  /**
   * Whether the rest of the body may never come, because the client waits for
   * 100 Continue before it sends it (RFC 9110, 10.1.1). An answer then leaves
   * open where the next request begins.
   */
  get isBodyUncertain(): boolean {
    const { fields, hasBody, request, wasBodyAskedFor } = this
    return fields.expect !== undefined && hasBody && !wasBodyAskedFor && !request.complete
  }

  /** Registers what must be given back at the end of the call; runs it at once if the call is over. */
  atEnd(giveBack: () => void): void {
    if (this.#isOver) giveBack()
    else if (this.#giveBacks === undefined) this.#giveBacks = [giveBack]
    else this.#giveBacks.push(giveBack)
  }

  /** Whether the response was sent or the client disconnected before. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** The response was sent or the client disconnected before. Called once. */
  closed(): void {
    this.#isOver = true
    this.before = undefined
    this.body = undefined
    this.exchange?.clientClosed()
    for (const giveBack of this.#giveBacks ?? []) giveBack()
    this.#leaveConnection()
  }

  /** After a complete request and a complete response on a connection that stays, nothing depends on this call. */
  #leaveConnection(): void {
    const { request, response } = this
    const isDone = request.complete && response.writableFinished && response.shouldKeepAlive
    if (isDone && this.#connection.latest === this) this.#connection.latest = undefined
  }
}

/** A response that knows its call, for events and routers that pass only the response. */
export class CallResponse<Request extends IncomingMessage = IncomingMessage>
  extends ServerResponse<Request>
  implements AnswerableResponse
{
  call: Call | undefined = undefined
  /** The same, once it was granted. */
  granted: GrantedCall | undefined = undefined

  /** As text of one character per octet, which Node sends in one piece with the head. */
  endWith(octets: Buffer): void {
    this.end(octets.toString('latin1'), 'latin1')
  }
}

/** What Node's server made of a request with a body: plain requests have none. */
export function madeByNode({ request, response }: Call): {
  readonly request: CallRequest
  readonly response: CallResponse
} {
  if (request instanceof CallRequest && response instanceof CallResponse) {
    return { request, response }
  }
  throw new Error('a plain request has no body')
}
