import { type AccountReference, consentModel } from '../domain/access.ts'
import { ceilingOf } from '../domain/mandate-request.ts'
import { amountOf } from '../domain/money.ts'
import type { Authorisation } from '../stores/authorisations.ts'
import { parentOf } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import { promised } from '../stores/promised.ts'
import type { Summary } from './pages.ts'

/** Tells a PSU what an authorisation is about. */
export async function summarise(
  stores: Pick<Stores, 'payments' | 'consents' | 'mandates'>,
  authorisation: Authorisation,
): Promise<Summary> {
  const parent = parentOf(authorisation)
  switch (parent.kind) {
    case 'payment': {
      const payment = promised(await stores.payments.find(parent.id))
      const { body } = payment
      const { currency, amount } = amountOf(payment.amount, payment.currency)
      return {
        title:
          authorisation.purpose === 'creation' ? 'Approve a payment' : 'Cancel an approved payment',
        facts: facts({
          Amount: `${amount} ${currency}`,
          To: body.creditorName,
          'To account': nameOf(body.creditorAccount),
          'From account':
            body.debtorAccount === undefined
              ? `Your current account in ${currency}`
              : nameOf(body.debtorAccount),
          For: body.remittanceInformationUnstructured,
          On: body.requestedExecutionDate ?? body.requestedExecutionTime,
        }),
      }
    }
    case 'consent': {
      const { access, recurring, validUntil } = promised(await stores.consents.find(parent.id))
      const model = consentModel(access)
      const lists = {
        'See accounts': access.accounts,
        'See balances of': access.balances,
        'See transactions of': access.transactions,
      }
      return {
        title: 'Allow access to your accounts',
        facts: facts({
          ...(model === 'detailed' || model === 'bankOffered'
            ? Object.fromEntries(
                Object.entries(lists).map(([name, list]) => [name, list && allOf(list)]),
              )
            : { 'See accounts': scopes[model ?? 'allPsd2'] }),
          'Only accounts of type': access.restrictedTo?.join(', '),
          Until: recurring ? validUntil : 'two hours after the first use',
        }),
      }
    }
    case 'mandate': {
      const { body, endsOn } = promised(await stores.mandates.find(parent.id))
      const ceiling = ceilingOf(body)
      return {
        title:
          authorisation.purpose === 'creation'
            ? 'Allow a creditor to collect from your account'
            : 'Cancel a mandate',
        facts: facts({
          Creditor: body.creditor.name ?? body.mandateId,
          Reference: body.mandateId,
          'From account': nameOf(body.debtorAccount),
          'At most':
            ceiling === undefined ? undefined : `${ceiling.amount} ${ceiling.currency} each time`,
          Until: endsOn ?? 'you revoke it',
        }),
      }
    }
  }
}

const scopes = {
  allPsd2: 'All of them, with balances and transactions',
  availableAccounts: 'Only the list of your accounts',
  availableAccountsWithBalance: 'The list of your accounts with balances',
} as const

/** The accounts of a list; an empty one leaves the choice to the PSU. */
function allOf(references: readonly AccountReference[]): string {
  return references.length === 0 ? 'Those you choose' : references.map(nameOf).join(', ')
}

function nameOf({ iban, maskedPan, bban, other, currency }: AccountReference): string {
  const name = iban ?? maskedPan ?? bban ?? other?.identification ?? ''
  return currency === undefined ? name : `${name} (${currency})`
}

function facts(all: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(all).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] satisfies [string, string]],
  )
}
