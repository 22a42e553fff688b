import type { Operation } from '../catalogue/catalogue.ts'
import type { ParameterValues } from '../catalogue/contract.ts'
import type { CheckedCall } from './check-call.ts'
import type { Identity } from './identity.ts'

/** What the gateway's signature says of the TPP, as far as handlers may know it. */
type CallingTpp = Pick<
  Identity,
  'applicationId' | 'applicationName' | 'isStrict' | 'redirectOrigins' | 'isConsentExpired'
>

/** A call that has passed every check of its document. */
export interface BankCall extends CheckedCall, CallingTpp {
  readonly operation: Operation
  /** `/v1.7.0`: links of the answer begin with the version that was called. */
  readonly prefix: string
  /** Ids of all operations of the version that was called. They decide which links an answer may have. */
  readonly offers: ReadonlySet<string>
  /** Whether the sandbox has a page to return to for a redirect without an address. */
  readonly hasReturnPage: boolean
  readonly requestId: string
  /** As received, for links and to recognise repeated POSTs. */
  readonly target: string
  readonly rawBody: Buffer
  /** Milliseconds since 1970; one instant for the whole call. */
  readonly now: number
}

export interface BankAnswer {
  readonly status: 200 | 201 | 202 | 204
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Absent on 204. */
  readonly body?: object
}

/** The answer to a read. */
export function ok(body: object): BankAnswer {
  return { status: 200, body }
}

/** Serves one operation. @throws {BankError} for a call that it rejects */
export type Handler = (call: BankCall) => Promise<BankAnswer>

/** A parameter as text; undefined for a call without it. */
export function textOf(value: ParameterValues[string] | undefined): string | undefined {
  return value === undefined ? undefined : String(value)
}

/** A parameter of the path. The route ensures it, so a missing one is a bug in the handler. */
export function pathParameter(call: BankCall, name: string): string {
  const value = call.path[name]
  if (value === undefined) throw new Error(`${call.operation.id} has no path parameter ${name}`)
  return String(value)
}
