import { withoutHiddenMarks } from '../../platform/hidden-marks.ts'
import type { Bank } from '../bank.ts'
import { type AccountAccess, consentModel } from '../domain/access.ts'
import { ceilingOf } from '../domain/mandate-request.ts'
import { amountOf } from '../domain/money.ts'
import type { Authorisation } from '../stores/authorisations.ts'
import { parentOf } from '../stores/authorisations.ts'
import type { Consent } from '../stores/consents.ts'
import { promised } from '../stores/promised.ts'
import { dayForPeople, moneyForPeople, timeForPeople } from './for-people.ts'
import { type Named, namedAccounts, type ShownAccount, shownAccount } from './shown-account.ts'

/** What is being approved, in words for people. */
export interface Summary {
  /** The kind of approval; shown even before sign-in. */
  readonly title: string
  /** Names and values, such as the amount of a payment. */
  readonly facts: readonly (readonly [name: string, value: string | ShownAccount])[]
  /** The accounts that become visible; empty where it is not about seeing accounts, or the person chooses. */
  readonly accounts: readonly ShownAccount[]
  /** What the application can do once it is approved, and what it still cannot. */
  readonly can: readonly string[]
  readonly cannot: readonly string[]
}

/** Names an authorisation; the only information before sign-in. */
export function titleOf(authorisation: Authorisation): string {
  const isNew = authorisation.purpose === 'creation'
  switch (parentOf(authorisation).kind) {
    case 'payment':
      return isNew ? 'Approve a payment' : 'Cancel an approved payment'
    case 'consent':
      return 'Allow access to your accounts'
    case 'mandate':
      return isNew ? 'Allow a creditor to collect from your account' : 'Cancel a mandate'
  }
}

/** Describes an authorisation to the signed-in customer. */
export async function summarise(
  { stores, timeZone }: Pick<Bank, 'stores' | 'timeZone'>,
  authorisation: Authorisation,
): Promise<Summary> {
  const parent = parentOf(authorisation)
  const title = titleOf(authorisation)
  const isNew = authorisation.purpose === 'creation'
  const own = await namedAccounts(stores, authorisation.psuId ?? '')
  switch (parent.kind) {
    case 'payment': {
      const payment = promised(await stores.payments.find(parent.id))
      const { body } = payment
      const day = body.requestedExecutionDate
      const time = body.requestedExecutionTime
      return {
        title,
        facts: facts({
          Amount: moneyForPeople(amountOf(payment.amount, payment.currency)),
          To: withoutHiddenMarks(body.creditorName),
          'To account': shownAccount(body.creditorAccount, []),
          'From account': body.debtorAccount && shownAccount(body.debtorAccount, own),
          For: body.remittanceInformationUnstructured,
          On:
            day !== undefined
              ? dayForPeople(day)
              : time !== undefined
                ? timeForPeople(time, timeZone)
                : undefined,
        }),
        accounts: [],
        can: isNew ? ['Make this one payment'] : ['Cancel this payment'],
        cannot: ['See your accounts or balances', 'Make any other payment'],
      }
    }
    case 'consent': {
      const consent = promised(await stores.consents.find(parent.id))
      return {
        title,
        facts: [],
        accounts: listed(consent.access, own),
        can: [seenOf(consent.access), ...howLong(consent)],
        cannot: ['Move money', 'See your password'],
      }
    }
    case 'mandate': {
      const { body, endsOn } = promised(await stores.mandates.find(parent.id))
      const ceiling = ceilingOf(body)
      const creditor = withoutHiddenMarks(body.creditor.name ?? body.mandateId)
      return {
        title,
        facts: facts({
          Creditor: creditor,
          Reference: body.mandateId,
          'From account': shownAccount(body.debtorAccount, own),
          'At most': ceiling && `${moneyForPeople(ceiling)} each time`,
          Until: endsOn === null ? 'you end it' : dayForPeople(endsOn),
        }),
        accounts: [],
        can: isNew
          ? [`${creditor} collects from this account`]
          : [`${creditor} collects nothing more from this account`],
        cannot: ['See your accounts or balances'],
      }
    }
  }
}

/** Every account of the three lists once, with what the application sees if that differs. */
function listed(access: AccountAccess, own: readonly Named[]): ShownAccount[] {
  const seen = new Map<string, { shown: ShownAccount; parts: string[] }>()
  for (const part of ['accounts', 'balances', 'transactions'] as const) {
    for (const reference of access[part] ?? []) {
      // One account may stand in one list with its currency and in another without.
      const shown = shownAccount(reference, own)
      const key = JSON.stringify(shown)
      const entry = seen.get(key) ?? { shown, parts: [] }
      if (part !== 'accounts') entry.parts.push(part)
      seen.set(key, entry)
    }
  }
  const all = [...seen.values()].map(({ shown, parts }) => ({
    ...shown,
    sees: parts.length === 0 ? 'name and number only' : parts.join(' and '),
  }))
  const [first] = all
  const isUniform = all.every(({ sees }) => sees === first?.sees)
  return isUniform ? all.map(({ name, detail }) => ({ name, detail })) : all
}

/** What becomes visible, in one line. */
function seenOf(access: AccountAccess): string {
  const only = access.restrictedTo?.length ? `, only ${kinds(access.restrictedTo)}` : ''
  switch (consentModel(access)) {
    case 'availableAccounts':
      return `See the list of all your accounts${only}`
    case 'availableAccountsWithBalance':
      return `See the list of all your accounts with their balances${only}`
    case 'bankOffered':
      return `See balances and transactions of the accounts you choose${only}`
    case 'detailed': {
      const parts = (['balances', 'transactions'] as const).filter((part) => access[part]?.length)
      return `See ${parts.length === 0 ? 'names and numbers' : parts.join(' and ')} of these accounts`
    }
    default:
      return `See all your accounts, balances and transactions${only}`
  }
}

function kinds(types: readonly string[]): string {
  const names: Readonly<Record<string, string>> = {
    CACC: 'current accounts',
    SVGS: 'savings accounts',
    CARD: 'cards',
  }
  return types.map((type) => names[type] ?? type).join(', ')
}

function howLong({ recurring, validUntil, frequencyPerDay }: Consent): string[] {
  if (!recurring) return ['Do so once, for two hours from the first access']
  const times = frequencyPerDay === 1 ? 'once a day' : `${frequencyPerDay} times a day`
  return [`Do so until ${dayForPeople(validUntil)}`, `Do so up to ${times} without you`]
}

function facts(all: Readonly<Record<string, string | ShownAccount | undefined>>) {
  return Object.entries(all).flatMap(([name, value]) =>
    value === undefined || value === ''
      ? []
      : [[name, value] satisfies [string, string | ShownAccount]],
  )
}
