import type { IncomingMessage } from 'node:http'
import type { ApiVersion, Operation } from '../../catalogue/catalogue.ts'
import type { EffectivePlan } from '../../catalogue/effective-limits.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import type { Grant } from '../counters/counter.ts'
import type { Caller } from '../registry/registry.ts'
import { readableBy } from './answer/cross-origin.ts'
import type { Entitlement } from './entitlement.ts'
import type { Published } from './published.ts'
import type { RequestFields } from './request/request-fields.ts'
import type { WrittenResponse } from './answer/written-response.ts'

/** What a call arrived with: the facts known before its first check. */
export interface CallStart {
  readonly request: IncomingMessage
  readonly response: WrittenResponse
  readonly fields: RequestFields
  readonly published: Published
  /** The request target as the client sent it. */
  readonly target: string
  /** The client's X-Request-ID if it is a UUID; otherwise a generated one, for the log and the gateway's own responses. */
  readonly requestId: string
  /** Client address, determined with TRUSTED_PROXIES. */
  readonly address: string
  /** How the client reached the edge, determined with TRUSTED_PROXIES. */
  readonly scheme: 'http' | 'https'
  /** Origin of the portal's page if that page makes the call; undefined for every other caller. */
  readonly portalOrigin: string | undefined
  /** Monotonic milliseconds. */
  readonly startedAt: number
  /** The previous call on the same connection. */
  readonly before: Call | undefined
}

/**
 * One request on its way through the checks. Each fact is read through a getter
 * that throws until its check has run. So a check missing from the table leads
 * to 500 and never to an open door.
 */
export class Call {
  readonly request: IncomingMessage
  readonly response: WrittenResponse
  readonly fields: RequestFields
  readonly published: Published
  readonly target: string
  readonly requestId: string
  readonly address: string
  readonly scheme: 'http' | 'https'
  readonly portalOrigin: string | undefined
  readonly startedAt: number
  /** Number of the call on its connection, from 1. */
  readonly ordinal: number
  /** The previous call on the connection while its response is pending. */
  before: Call | undefined
  /** Header fields of every later response to this call, names and values in turn. */
  readonly answerHeaders: string[]
  /** The exchange with the backend; undefined until the call is forwarded. */
  exchange: { clientClosed(): void } | undefined = undefined
  /** Monotonic milliseconds when the request went to the backend; 0 before. */
  forwardedAt = 0
  /** Monotonic milliseconds when the backend's response was complete or abandoned; 0 before. */
  answeredAt = 0
  /** Code of the refusal if the gateway refused the call. */
  refusal: ErrorCode | undefined = undefined
  /** The detail of that refusal; it repeats nothing from the request. */
  refusalDetail: string | undefined = undefined
  /** Whether the gateway answered without a refusal: a preflight or `OPTIONS *`. */
  isPreflight = false
  /** Whether the checks have ended; no further facts will follow. */
  isChecked = false

  #path: string | undefined = undefined
  #query = ''
  #version: ApiVersion | undefined = undefined
  #operation: Operation | undefined = undefined
  #parameters: readonly string[] = []
  #hasBody: boolean | undefined = undefined
  #body: Buffer | undefined = undefined
  #caller: Caller | undefined = undefined
  #entitlement: Entitlement | undefined = undefined
  #grant: Grant | undefined = undefined
  #isOver = false
  readonly #held: (() => void)[] = []

  constructor(start: CallStart) {
    this.request = start.request
    this.response = start.response
    this.fields = start.fields
    this.published = start.published
    this.target = start.target
    this.requestId = start.requestId
    this.address = start.address
    this.scheme = start.scheme
    this.portalOrigin = start.portalOrigin
    this.startedAt = start.startedAt
    this.ordinal = (start.before?.ordinal ?? 0) + 1
    this.before = start.before?.isOver === false ? start.before : undefined
    this.answerHeaders = start.portalOrigin === undefined ? [] : readableBy(start.portalOrigin)
  }

  /** The canonical path, without the query. */
  get path(): string {
    return this.#path ?? missing('target')
  }

  /** The query with its question mark, byte for byte, or an empty string. */
  get query(): string {
    return this.#query
  }

  get operation(): Operation {
    return this.#operation ?? missing('route')
  }

  /** Values of the path parameters, in order. */
  get parameters(): readonly string[] {
    return this.#parameters
  }

  /** Whether the request has a body (length 0 counts as no body). */
  get hasBody(): boolean {
    return this.#hasBody ?? missing('body')
  }

  /** All octets of the request body; undefined without a body. */
  get body(): Buffer | undefined {
    return this.hasBody ? (this.#body ?? missing('receive')) : undefined
  }

  get caller(): Caller {
    return this.#caller ?? missing('authenticate')
  }

  /** The plan with the numbers that apply to this caller. */
  get plan(): EffectivePlan {
    return this.entitlement.plan
  }

  get entitlement(): Entitlement {
    return this.#entitlement ?? missing('entitle')
  }

  /** For observers, see {@link versionIfKnown}. */
  get entitlementIfKnown(): Entitlement | undefined {
    return this.#entitlement
  }

  get grant(): Grant {
    return this.#grant ?? missing('limit')
  }

  /** The version in the path, as far as it is known. For observers: a call refused early has no version. */
  get versionIfKnown(): ApiVersion | undefined {
    return this.#version
  }

  /** For observers, see {@link versionIfKnown}. */
  get operationIfKnown(): Operation | undefined {
    return this.#operation
  }

  /** For observers, see {@link versionIfKnown}. */
  get callerIfKnown(): Caller | undefined {
    return this.#caller
  }

  /** For observers, see {@link versionIfKnown}. */
  get grantIfKnown(): Grant | undefined {
    return this.#grant
  }

  targeted(path: string, query: string): void {
    this.#path = path
    this.#query = query
  }

  versioned(version: ApiVersion): void {
    this.#version = version
  }

  routed(operation: Operation, parameters: readonly string[]): void {
    this.#operation = operation
    this.#parameters = parameters
  }

  framed(hasBody: boolean): void {
    this.#hasBody = hasBody
  }

  received(body: Buffer): void {
    this.#body = body
  }

  authenticated(caller: Caller): void {
    this.#caller = caller
  }

  entitled(entitlement: Entitlement): void {
    this.#entitlement = entitlement
  }

  granted(grant: Grant): void {
    this.#grant = grant
  }

  /** Registers what the call must give back at its end; runs it at once if the call is over. */
  holds(giveBack: () => void): void {
    if (this.#isOver) giveBack()
    else this.#held.push(giveBack)
  }

  /** Whether the response was sent or the client disconnected before. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** The response was sent or the client disconnected before. Called once. */
  closed(): void {
    this.#isOver = true
    this.before = undefined
    this.#body = undefined
    this.exchange?.clientClosed()
    for (const giveBack of this.#held) giveBack()
  }
}

function missing(check: string): never {
  throw new Error(`the check "${check}" has not run`)
}
