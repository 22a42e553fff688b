import type { IncomingMessage } from 'node:http'
import type { ApiVersion, Operation } from '../../catalogue/catalogue.ts'
import type { EffectivePlan } from '../../catalogue/effective-limits.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import type { Grant } from '../counters/counter.ts'
import type { Caller } from '../registry/registry.ts'
import { readableBy } from './cross-origin.ts'
import type { Entitlement } from './entitlement.ts'
import type { Published } from './published.ts'
import type { RequestFields } from './request-fields.ts'
import type { WrittenResponse } from './written-response.ts'

/** What a call came with and what the checks have found out about it so far. */
export interface CallStart {
  readonly request: IncomingMessage
  readonly response: WrittenResponse
  readonly fields: RequestFields
  readonly published: Published
  /** The request target as the client sent it. */
  readonly target: string
  /** The client's X-Request-ID when it was a UUID, else one made for the log and our own answers. */
  readonly requestId: string
  /** Client address by the rules of TRUSTED_PROXIES. */
  readonly address: string
  /** How the client reached the edge, by the rules of TRUSTED_PROXIES. */
  readonly scheme: 'http' | 'https'
  /** Origin of the portal's page when that makes the call; undefined for everybody else. */
  readonly portalOrigin: string | undefined
  /** Milliseconds of a monotonic clock. */
  readonly startedAt: number
}

/**
 * One request on its way through the checks. A fact is read through a getter
 * that throws while the check that finds it has not run: a check left out of
 * the table answers 500, it never opens a door.
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
  /** Header fields of every further answer to this call, name and value alternating. */
  readonly answerHeaders: string[]
  /** The exchange with the backend; undefined while there is none. */
  exchange: { clientClosed(): void } | undefined = undefined
  /** Monotonic milliseconds when the request went to the backend; 0 before. */
  forwardedAt = 0
  /** Monotonic milliseconds when the backend's answer was complete or given up; 0 before. */
  answeredAt = 0
  /** Why the gateway answered itself; undefined while it did not. */
  refusal: ErrorCode | undefined = undefined
  /** What that refusal said in its own words; they repeat nothing of the request. */
  refusalDetail: string | undefined = undefined
  /** Whether the gateway answered itself without refusing: a preflight. */
  isPreflight = false

  #path: string | undefined = undefined
  #query = ''
  #version: ApiVersion | undefined = undefined
  #operation: Operation | undefined = undefined
  #parameters: readonly string[] = []
  #hasBody: boolean | undefined = undefined
  #caller: Caller | undefined = undefined
  #entitlement: Entitlement | undefined = undefined
  #grant: Grant | undefined = undefined

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
    this.answerHeaders = start.portalOrigin === undefined ? [] : readableBy(start.portalOrigin)
  }

  /** The canonical path, without query. */
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

  /** Values of the path parameters in their order. */
  get parameters(): readonly string[] {
    return this.#parameters
  }

  /** Whether a request body follows (of length 0 counts as none). */
  get hasBody(): boolean {
    return this.#hasBody ?? missing('body')
  }

  get caller(): Caller {
    return this.#caller ?? missing('authenticate')
  }

  /** With the numbers that hold for this caller. */
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

  /** The version the path names, as far as it is known. For observers: a call refused early has none. */
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

  authenticated(caller: Caller): void {
    this.#caller = caller
  }

  entitled(entitlement: Entitlement): void {
    this.#entitlement = entitlement
  }

  granted(grant: Grant): void {
    this.#grant = grant
  }
}

function missing(check: string): never {
  throw new Error(`the check "${check}" has not run`)
}
