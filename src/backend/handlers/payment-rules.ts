import { BankError, type BankMessage, formatError } from '../bank-error.ts'
import { addMonths, instantOf, onDay } from '../domain/bank-time.ts'
import { isCreditorReference } from '../domain/identifiers.ts'
import { compare, isAmount } from '../domain/money.ts'
import type { PaymentInitiation } from '../domain/payment-initiation.ts'
import type { PaymentProduct } from '../domain/payment-products.ts'
import { checkReference } from './references.ts'

/** Maximum months that a payment may be in the future (our choice). */
const horizonMonths = 12

/** Milliseconds by which a requested time may be in the past, because clocks differ and calls take time (our choice). */
const clockSkewMs = 300_000

export interface PaymentCheck {
  readonly product: PaymentProduct
  /** Whether to reject members that the product does not have. */
  readonly isStrict: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  readonly timeZone: string
}

/**
 * Checks an initiation against the rules of its product, beyond its schema
 * (docs/bank.md, Payments).
 *
 * @throws {BankError} 400 FORMAT_ERROR with all errors, else PARAMETER_NOT_CONSISTENT,
 *   PARAMETER_NOT_SUPPORTED, EXECUTION_DATE_INVALID
 */
export function checkPayment(body: PaymentInitiation, check: PaymentCheck): void {
  const { product, isStrict, now, timeZone } = check
  const messages = [
    ...(isStrict ? checkMembers(body, product) : []),
    ...checkAmount(body, product),
    ...checkAccounts(body, product),
    ...checkText(body, product),
  ]
  if (messages.length > 0) throw new BankError('FORMAT_ERROR', messages)
  checkOptions(body, product)
  checkDate(body, product, now, timeZone)
}

function checkMembers(body: PaymentInitiation, product: PaymentProduct): BankMessage[] {
  return product.foreignMembers
    .filter((path) => Object.hasOwn(body, path))
    .map((path) => ({ path, text: `Is not part of ${product.name}` }))
}

function checkAmount(
  { instructedAmount }: PaymentInitiation,
  { name, currency, below, most }: PaymentProduct,
): BankMessage[] {
  const path = 'instructedAmount.amount'
  const { amount } = instructedAmount
  if (!isAmount(instructedAmount)) {
    return [{ path, text: `Has more decimals than ${instructedAmount.currency} has` }]
  }
  const messages: BankMessage[] = []
  if (currency !== undefined && instructedAmount.currency !== currency) {
    messages.push({ path: 'instructedAmount.currency', text: `Must be ${currency} for ${name}` })
  }
  if (below !== undefined && compare(amount, below) >= 0) {
    messages.push({ path, text: `Must be less than ${below} for ${name}` })
  }
  if (most !== undefined && compare(amount, most) > 0) {
    messages.push({ path, text: `Must be at most ${most} for ${name}` })
  }
  return messages
}

function checkAccounts(
  { debtorAccount, creditorAccount, creditorAgent }: PaymentInitiation,
  product: PaymentProduct,
): BankMessage[] {
  const messages = checkReference(creditorAccount, 'creditorAccount')
  if (debtorAccount !== undefined) {
    messages.push(...checkReference(debtorAccount, 'debtorAccount'))
    if (debtorAccount.iban === undefined) {
      messages.push({ path: 'debtorAccount.iban', text: 'Is required: accounts here have an IBAN' })
    } else if (debtorAccount.iban === creditorAccount.iban) {
      messages.push({ path: 'creditorAccount', text: 'Must differ from the account of the debtor' })
    }
  } else if (product.needsDebtor) {
    messages.push({ path: 'debtorAccount', text: `Is required for ${product.name}` })
  }
  for (const [path, account] of Object.entries({ debtorAccount, creditorAccount })) {
    const country = account?.iban?.slice(0, 2)
    if (country !== undefined && product.countries?.has(country) === false) {
      const where = product.market === 'IL' ? 'Israel' : 'the SEPA area'
      messages.push({ path: `${path}.iban`, text: `Must be of ${where} for ${product.name}` })
    }
  }
  if (product.currency === 'EUR' && creditorAccount.iban === undefined) {
    messages.push({ path: 'creditorAccount.iban', text: `Is required for ${product.name}` })
  }
  if (creditorAccount.iban === undefined && product.currency === undefined && !creditorAgent) {
    messages.push({ path: 'creditorAgent', text: 'Is required when the creditor has no IBAN' })
  }
  return messages
}

/** Rejects well-formed input that contradicts itself or exceeds the product. */
function checkOptions(
  body: PaymentInitiation,
  { name, chargeBearers, market }: PaymentProduct,
): void {
  const { remittanceInformationStructured, remittanceInformationUnstructured, chargeBearer } = body
  if (
    market === 'EUR' &&
    remittanceInformationStructured !== undefined &&
    remittanceInformationUnstructured !== undefined
  ) {
    throw new BankError('PARAMETER_NOT_CONSISTENT', [
      {
        path: 'remittanceInformationStructured',
        text: 'Send either structured or unstructured remittance information',
      },
    ])
  }
  const offered: readonly string[] = chargeBearers
  if (chargeBearer !== undefined && offered.length > 0 && !offered.includes(chargeBearer)) {
    throw new BankError('PARAMETER_NOT_SUPPORTED', [
      { path: 'chargeBearer', text: `${name} offers: ${offered.join(', ')}` },
    ])
  }
}

function checkText(body: PaymentInitiation, product: PaymentProduct): BankMessage[] {
  const messages: BankMessage[] = []
  const { remittanceInformationStructured: structured } = body
  const mustHaveDigits =
    structured?.referenceType === 'SCOR' || structured?.reference.startsWith('RF') === true
  if (mustHaveDigits && !isCreditorReference(structured?.reference ?? '')) {
    messages.push({
      path: 'remittanceInformationStructured.reference',
      text: 'The check digits of the creditor reference are wrong',
    })
  }
  if (product.needsRemittance && !body.remittanceInformationUnstructured?.trim()) {
    messages.push({
      path: 'remittanceInformationUnstructured',
      text: `Is required for ${product.name}`,
    })
  }
  return messages
}

function checkDate(
  { requestedExecutionDate, requestedExecutionTime }: PaymentInitiation,
  product: PaymentProduct,
  now: number,
  timeZone: string,
): void {
  const path =
    requestedExecutionDate === undefined ? 'requestedExecutionTime' : 'requestedExecutionDate'
  const instant =
    requestedExecutionTime === undefined ? undefined : readInstant(path, requestedExecutionTime)
  const day = instant === undefined ? requestedExecutionDate : onDay(instant, timeZone)
  if (day === undefined) return
  const today = onDay(now, timeZone)
  const invalid = (text: string) => new BankError('EXECUTION_DATE_INVALID', [{ path, text }])
  const isPast = instant === undefined ? day < today : instant < now - clockSkewMs
  if (isPast) throw invalid('Lies in the past')
  if (day > today && !product.isDatable) {
    throw invalid(`${product.name} is executed on the day it is initiated`)
  }
  if (day > addMonths(today, horizonMonths)) {
    throw invalid(`Lies more than ${horizonMonths} months ahead`)
  }
}

function readInstant(path: string, time: string): number {
  const instant = instantOf(time)
  if (instant === undefined) {
    throw formatError(path, 'Must be a date and time with its offset (YYYY-MM-DDThh:mm:ssZ)')
  }
  return instant
}
