import type { JsonObject } from '../catalogue/catalogue.ts'
import type { Contract, Fields, ParameterValues, Violation } from '../catalogue/contract.ts'
import { BankError, type BankMessage } from './bank-error.ts'
import { checkDigest } from './digest.ts'
import { findPaymentProduct, paymentProductNames } from './domain/payment-products.ts'
import { checkMediaType, readBody } from './read-body.ts'
import { checkSignature } from './signature.ts'
import { strictViolations } from './strict.ts'

export interface CheckCallOptions {
  readonly operationId: string
  readonly contract: Contract
  readonly path: Readonly<Record<string, string>>
  readonly query: unknown
  readonly headers: Fields
  readonly rawBody: Buffer
  readonly isJsonAccepted: boolean
  /** Whether the TPP must sign, and send what the standard makes mandatory. */
  readonly isStrict: boolean
  /** Thumbprints of the certificates that a strict TPP signs with; undefined: any. */
  readonly seals: readonly string[] | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The parts of a call, typed by its document. */
export interface CheckedCall {
  /** Parameters by the names of the document, headers in lower case, with the types of their schemas. */
  readonly path: ParameterValues
  readonly query: ParameterValues
  readonly headers: ParameterValues
  /** Undefined for a call without a body. */
  readonly body: JsonObject | undefined
}

/** The parameter whose unknown values have a 404 of their own. */
const product = 'payment-product'

/**
 * Checks a call against its document, in the order of docs/bank.md, Requests:
 * digest and signature, headers and query, media types, payment product, body.
 *
 * @throws {BankError} with all errors of the first step that fails
 */
export function checkCall(options: CheckCallOptions): CheckedCall {
  const { operationId, contract, path, query, headers, rawBody, isStrict, seals } = options
  checkSignature(headers, { now: options.now, isRequired: isStrict, seals })
  checkDigest(headers, rawBody)
  // Fastify parses a query to strings and lists of strings.
  const fields = query as Fields
  const parameters = contract.request({ path, query: fields, headers, body: undefined })
  refuse([
    ...parameters.violations.filter(({ in: place }) => place === 'header' || place === 'query'),
    ...(isStrict ? strictViolations(operationId, headers) : []),
  ])
  if (!options.isJsonAccepted) {
    throw new BankError('REQUESTED_FORMATS_INVALID', 'Only application/json can be answered')
  }
  const contentType = headers['content-type']
  checkMediaType(rawBody, typeof contentType === 'string' ? contentType : undefined)
  if (Object.hasOwn(path, product) && findPaymentProduct(path[product] ?? '') === undefined) {
    const text = `This bank has these payment products: ${paymentProductNames.join(', ')}`
    throw new BankError('PRODUCT_UNKNOWN', text)
  }
  const body = readBody(rawBody)
  // Without a body, the first check has covered everything.
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
