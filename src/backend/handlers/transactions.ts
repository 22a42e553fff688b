import { entryReferenceOf, type ReferencedEntry } from '../domain/entry-reference.ts'
import { amountOf } from '../domain/money.ts'
import { isAggregate } from '../domain/multicurrency.ts'
import type { Account, StandingOrder } from '../stores/accounts.ts'
import type { Transaction } from '../stores/entries.ts'
import { present } from './present.ts'

/**
 * The reference of a booked entry, unique within the account that shows it. The
 * currency distinguishes the sub-accounts of an account that combines them.
 */
export function referenceIn(
  shownIn: Account,
  entry: ReferencedEntry & { readonly currency: string },
): string {
  const reference = entryReferenceOf(entry)
  return isAggregate(shownIn) ? `${reference}-${entry.currency}` : reference
}

/**
 * An account entry in the form of the interface: debits are negative and name the
 * creditor, credits are positive and name the debtor.
 */
export function renderTransaction(transaction: Transaction, account: Account, prefix: string) {
  const { currency, day } = transaction
  const isBooked = transaction.status === 'booked'
  const isDebit = transaction.amount.startsWith('-')
  const iban = transaction.counterpartyIban
  const counterparty = {
    [isDebit ? 'creditorName' : 'debtorName']: transaction.counterpartyName,
    [isDebit ? 'creditorAccount' : 'debtorAccount']: iban === null ? null : { iban },
  }
  return {
    ...(isBooked
      ? {
          transactionId: transaction.id,
          entryReference: referenceIn(account, transaction),
          bookingDate: day,
        }
      : {}),
    ...present({
      endToEndId: transaction.endToEndId,
      mandateId: transaction.mandateId,
      valueDate: transaction.valueDay,
      transactionAmount: amountOf(transaction.amount, currency),
      ...counterparty,
      remittanceInformationUnstructured: transaction.remittance,
      purposeCode: transaction.purposeCode,
      bankTransactionCode: transaction.bankCode,
      proprietaryBankTransactionCode: transaction.proprietaryCode,
    }),
    ...(transaction.balanceAfter === null
      ? {}
      : {
          balanceAfterTransaction: {
            balanceType: 'interimBooked',
            balanceAmount: amountOf(transaction.balanceAfter, currency),
            creditLimitIncluded: false,
            referenceDate: day,
          },
        }),
    ...(isBooked
      ? {
          _links: {
            transactionDetails: {
              href: `${prefix}/accounts/${account.id}/transactions/${transaction.id}`,
            },
          },
        }
      : {}),
  }
}

/** A standing order as an entry of the list `information`; negative like any debit. */
export function renderStandingOrder(order: StandingOrder) {
  return {
    transactionAmount: amountOf(`-${order.amount}`, order.currency),
    creditorName: order.creditorName,
    creditorAccount: { iban: order.creditorIban },
    remittanceInformationUnstructured: order.remittance,
    bankTransactionCode: order.bankCode,
    additionalInformationStructured: {
      standingOrderDetails: {
        startDate: order.startDay,
        ...present({ endDate: order.endDay }),
        frequency: order.frequency,
        ...present({ executionRule: order.executionRule }),
        dayOfExecution: order.dayOfExecution,
      },
    },
  }
}
