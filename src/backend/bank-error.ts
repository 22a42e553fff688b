/**
 * Every error code of the bank with its statuses, the usual one first. Both
 * families share the codes. If a code has several statuses, the place of the
 * error decides.
 */
export const bankErrors = {
  FORMAT_ERROR: [400, 413, 415],
  PARAMETER_NOT_CONSISTENT: [400],
  PARAMETER_NOT_SUPPORTED: [400],
  /** 405: the path does not have the method; 400: the resource does not support what the body asks for. */
  SERVICE_INVALID: [405, 400],
  PERIOD_INVALID: [400],
  /** The signed date is too far from now. */
  TIMESTAMP_INVALID: [400],
  SCA_METHOD_UNKNOWN: [400],
  /** Confirmed, but not approved. */
  SCA_INVALID: [400],
  /** 400: in the header; 403: in the path. */
  CONSENT_UNKNOWN: [400, 403],
  SESSIONS_NOT_SUPPORTED: [400],
  PAYMENT_FAILED: [400],
  EXECUTION_DATE_INVALID: [400],
  /** The identity of the TPP stands in for its certificate. It is missing (this code) or not valid (the next). */
  CERTIFICATE_MISSING: [401],
  CERTIFICATE_INVALID: [401],
  CERTIFICATE_EXPIRED: [401],
  CERTIFICATE_REVOKED: [401],
  /** The signing certificate lacks the PSD2 role of the operation. */
  ROLE_INVALID: [401],
  SIGNATURE_MISSING: [401],
  SIGNATURE_INVALID: [401],
  PSU_CREDENTIALS_INVALID: [401],
  CORPORATE_ID_INVALID: [401],
  CONSENT_INVALID: [401],
  CONSENT_EXPIRED: [401],
  SERVICE_BLOCKED: [403],
  /** 404: a resource in the path; 403: an authorisation in the path; 400: an entry in the query. */
  RESOURCE_UNKNOWN: [404, 403, 400],
  RESOURCE_EXPIRED: [403],
  /** A product that this PSU cannot use. */
  PRODUCT_INVALID: [403],
  PRODUCT_UNKNOWN: [404],
  CANCELLATION_INVALID: [405],
  REQUESTED_FORMATS_INVALID: [406],
  STATUS_INVALID: [409],
  ACCESS_EXCEEDED: [429],
  /** Names of the adorsys core; the interface leaves these statuses without a code. */
  INTERNAL_SERVER_ERROR: [500],
  SERVICE_UNAVAILABLE: [503],
} as const satisfies Record<string, readonly [number, ...number[]]>

export type BankErrorCode = keyof typeof bankErrors

/** One reason for an error. */
export interface BankMessage {
  /** At most 500 characters; public. */
  readonly text: string
  /** Path of the member, header or parameter. */
  readonly path?: string
}

/**
 * A call that the bank rejects. An exception, because it must also roll back the
 * transaction around it. A change that must stay needs its own transaction.
 */
export class BankError extends Error {
  readonly code: BankErrorCode
  readonly status: number
  /** At least one. */
  readonly messages: readonly BankMessage[]

  constructor(
    code: BankErrorCode,
    messages: string | readonly BankMessage[],
    options: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    const list = typeof messages === 'string' ? [{ text: messages }] : messages
    super(`${code}: ${list.map(({ text }) => text).join('; ')}`, { cause: options.cause })
    this.name = 'BankError'
    this.code = code
    this.status = options.status ?? bankErrors[code][0]
    this.messages = list
  }
}

/** A FORMAT_ERROR about one place. */
export function formatError(path: string, text: string): BankError {
  return new BankError('FORMAT_ERROR', [{ path, text }])
}
