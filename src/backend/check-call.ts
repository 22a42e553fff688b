import type { JsonObject } from '../catalogue/catalogue.ts'
import type { Contract, Fields, ParameterValues, Violation } from '../catalogue/contract.ts'
import { BankError, type BankMessage } from './bank-error.ts'
import { checkDigest } from './digest.ts'
import { findPaymentProduct } from './domain/payment-products.ts'
import { checkSignature } from './signature.ts'

export interface CheckCallOptions {
  readonly contract: Contract
  readonly path: Readonly<Record<string, string>>
  readonly query: unknown
  readonly headers: Fields
  readonly rawBody: Buffer
  readonly isJsonAccepted: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  /** Reads the body, with its own refusals. */
  readonly readBody: () => JsonObject | undefined
}

/** The parts of a call, typed by its document. */
export interface CheckedCall {
  readonly path: ParameterValues
  readonly query: ParameterValues
  readonly headers: ParameterValues
  readonly body: JsonObject | undefined
}

/** The parameter whose unknown values are a 404 of their own. */
const product = 'payment-product'

/**
 * Checks a call against its document: headers and query, then media types, the
 * payment product, and the body (docs/bank.md, Requests).
 *
 * @throws {BankError} with everything that is wrong at the first step that has anything wrong
 */
export function checkCall(options: CheckCallOptions): CheckedCall {
  const { contract, path, query, headers, rawBody, isJsonAccepted } = options
  // What Fastify parses a query to are strings and lists of them.
  const fields = query as Fields
  const parameters = contract.request({ path, query: fields, headers, body: undefined })
  refuse(parameters.violations.filter(({ in: place }) => place === 'header' || place === 'query'))
  checkDigest(headers, rawBody)
  checkSignature(headers, options.now)
  if (!isJsonAccepted) {
    throw new BankError('REQUESTED_FORMATS_INVALID', 'Only application/json can be answered')
  }
  const body = options.readBody()
  if (Object.hasOwn(path, product) && findPaymentProduct(path[product] ?? '') === undefined) {
    throw new BankError('PRODUCT_UNKNOWN', 'This bank has no such payment product')
  }
  // Without a body the first look has seen everything.
  const whole =
    body === undefined ? parameters : contract.request({ path, query: fields, headers, body })
  refuse(whole.violations)
  return { path: whole.path, query: whole.query, headers: whole.headers, body }
}

function refuse(violations: readonly Violation[]): void {
  if (violations.length === 0) return
  throw new BankError('FORMAT_ERROR', violations.map(describe))
}

function describe({ path, message, in: place }: Violation): BankMessage {
  const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  return path === '' ? { text: `The ${place} ${message}` } : { path, text }
}
