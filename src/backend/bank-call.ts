import type { JsonObject, Operation } from '../catalogue/catalogue.ts'
import type { ParameterValues } from '../catalogue/contract.ts'

/** A call that has passed everything its document says about it. */
export interface BankCall {
  readonly operation: Operation
  /** `/v1.7.0`: links of the answer begin with the version that was called. */
  readonly prefix: string
  /** Ids of all operations of the version that was called: which links an answer may have. */
  readonly offers: ReadonlySet<string>
  /** The TPP: the application the gateway has signed for. */
  readonly applicationId: string
  /** Its name, for the people who are asked to approve. */
  readonly applicationName: string | undefined
  /** Whether the TPP is held to what the standard only recommends. */
  readonly isStrict: boolean
  /** The only origins to which PSUs may be sent back; undefined: any. */
  readonly redirectOrigins: readonly string[] | undefined
  /** Whether its consent counts as expired, if it is valid: a drill, which changes nothing. */
  readonly isConsentExpired: boolean
  /** Whether a redirect without an address of its own has somewhere to end. */
  readonly hasReturnPage: boolean
  readonly requestId: string
  /** As received, for links and for telling repeated POSTs apart. */
  readonly target: string
  /** Parameters by the names of the document, headers in lower case, with the types of their schemas. */
  readonly path: ParameterValues
  readonly query: ParameterValues
  readonly headers: ParameterValues
  /** Undefined when none was sent. */
  readonly body: JsonObject | undefined
  readonly rawBody: Buffer
  /** Milliseconds since 1970; one instant for all that the call does. */
  readonly now: number
}

export interface BankAnswer {
  readonly status: 200 | 201 | 202 | 204
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Absent on 204. */
  readonly body?: object
}

/** Serves one operation. Throws {@link BankError} for what it refuses. */
export type Handler = (call: BankCall) => Promise<BankAnswer>

/** A parameter as text; undefined when it was not sent. */
export function textOf(value: ParameterValues[string] | undefined): string | undefined {
  return value === undefined ? undefined : String(value)
}

/** A parameter of the path. The route has it, so a missing one is a mistake in the handler. */
export function pathParameter(call: BankCall, name: string): string {
  const value = call.path[name]
  if (value === undefined) throw new Error(`${call.operation.id} has no path parameter ${name}`)
  return String(value)
}
