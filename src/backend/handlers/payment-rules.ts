import { BankError, type BankMessage, formatError } from '../bank-error.ts'
import { addMonths, instantOf, onDay } from '../domain/bank-time.ts'
import { compare, isAmount } from '../domain/money.ts'
import type { PaymentInitiation } from '../domain/payment-initiation.ts'
import type { PaymentProduct } from '../domain/payment-products.ts'
import { checkReference } from './references.ts'

/** Months ahead a payment may be dated (our choice). */
const horizonMonths = 12

/**
 * Checks an initiation against the rules of its product, beyond its schema
 * (docs/bank.md, Payments).
 *
 * @throws {BankError} 400 FORMAT_ERROR with everything that is wrong, else EXECUTION_DATE_INVALID
 */
export function checkPayment(
  body: PaymentInitiation,
  product: PaymentProduct,
  now: number,
  timeZone: string,
): void {
  const messages = [
    ...checkAmount(body, product),
    ...checkAccounts(body, product),
    ...checkText(body, product),
  ]
  if (messages.length > 0) throw new BankError('FORMAT_ERROR', messages)
  checkDate(body, product, now, timeZone)
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
    const { country } = product
    if (country !== undefined && account?.iban !== undefined && !account.iban.startsWith(country)) {
      messages.push({ path: `${path}.iban`, text: `Must be of ${country} for ${product.name}` })
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

function checkText(body: PaymentInitiation, product: PaymentProduct): BankMessage[] {
  const messages: BankMessage[] = []
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
  const day =
    requestedExecutionTime === undefined
      ? requestedExecutionDate
      : dayOf(path, requestedExecutionTime, timeZone)
  if (day === undefined) return
  const today = onDay(now, timeZone)
  const invalid = (text: string) => new BankError('EXECUTION_DATE_INVALID', [{ path, text }])
  if (day < today) throw invalid('Lies in the past')
  if (day > today && !product.isDatable) {
    throw invalid(`${product.name} is executed on the day it is initiated`)
  }
  if (day > addMonths(today, horizonMonths)) {
    throw invalid(`Lies more than ${horizonMonths} months ahead`)
  }
}

function dayOf(path: string, time: string, timeZone: string): string {
  const instant = instantOf(time)
  if (instant === undefined) {
    throw formatError(path, 'Must be a date and time with its offset (YYYY-MM-DDThh:mm:ssZ)')
  }
  return onDay(instant, timeZone)
}
