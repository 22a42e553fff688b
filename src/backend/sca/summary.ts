import type { Words } from '../../messages/format.ts'
import { languageFacts } from '../../messages/language.ts'
import { withoutHiddenMarks } from '../../platform/hidden-marks.ts'
import { assertFound } from '../assert-found.ts'
import type { Bank } from '../bank.ts'
import { type AccountAccess, consentModel } from '../domain/access.ts'
import { ceilingOf } from '../domain/mandate-request.ts'
import { amountOf } from '../domain/money.ts'
import { type Authorisation, parentOf } from '../stores/authorisations.ts'
import type { Consent } from '../stores/consents.ts'
import type { Mandate } from '../stores/mandates.ts'
import type { Payment } from '../stores/payments.ts'
import { dayForPeople, moneyForPeople, timeForPeople } from './for-people.ts'
import type { Html } from './html.ts'
import { isolated, message } from './message.ts'
import { type Named, namedAccounts, type ShownAccount, shownAccount } from './shown-account.ts'

/** The kind of an approval, as its messages name it. */
export type Approval =
  | 'payment'
  | 'paymentCancellation'
  | 'consent'
  | 'mandate'
  | 'mandateCancellation'

/** The request for an approval, in words for people. */
export interface Summary {
  readonly approval: Approval
  /** What the application asks for, in one sentence. */
  readonly asks: Html
  /** Names and values, such as the amount of a payment. */
  readonly facts: readonly (readonly [name: string, value: Html | ShownAccount])[]
  /** The accounts that become visible; empty if the request is not for accounts, or the customer chooses them. */
  readonly accounts: readonly ShownAccount[]
  /** What the application can do after the approval, and what it still cannot do. */
  readonly can: readonly Html[]
  readonly cannot: readonly Html[]
}

export interface SummariseOptions {
  readonly words: Words
  /** The name of the application. */
  readonly app: Html
}

/** The kind of an authorisation; the only information before sign-in. */
export function approvalOf(authorisation: Authorisation): Approval {
  const { kind } = parentOf(authorisation)
  if (kind === 'consent' || authorisation.purpose === 'creation') return kind
  return `${kind}Cancellation`
}

/** Describes an authorisation to the signed-in customer. */
export async function summarise(
  bank: Pick<Bank, 'stores' | 'sandbox' | 'timeZone'>,
  authorisation: Authorisation,
  { words, app }: SummariseOptions,
): Promise<Summary> {
  const { stores, timeZone } = bank
  const parent = parentOf(authorisation)
  const approval = approvalOf(authorisation)
  const own = await namedAccounts(bank, authorisation.psuId ?? '', words)
  const told = { approval, app, own, words, timeZone }
  switch (parent.kind) {
    case 'payment':
      return ofPayment(assertFound(await stores.payments.find(parent.id)), told)
    case 'consent':
      return ofConsent(assertFound(await stores.consents.find(parent.id)), told)
    case 'mandate':
      return ofMandate(assertFound(await stores.mandates.find(parent.id)), told)
  }
}

interface Told extends SummariseOptions {
  readonly approval: Approval
  readonly own: readonly Named[]
  readonly timeZone: string
}

function ofPayment(payment: Payment, { approval, app, own, words, timeZone }: Told): Summary {
  const { body } = payment
  const { t, language } = words
  const { requestedExecutionDate: day, requestedExecutionTime: time } = body
  const amount = moneyForPeople(amountOf(payment.amount, payment.currency), language)
  const isNew = approval === 'payment'
  return {
    approval,
    asks: isNew
      ? message(words, 'bank.payment.asks', { app, amount })
      : message(words, 'bank.paymentCancellation.asks', { app, amount }),
    facts: facts([
      [t('bank.fact.amount'), amount],
      [t('bank.fact.to'), withoutHiddenMarks(body.creditorName)],
      [t('bank.fact.toAccount'), shownAccount(body.creditorAccount, [], words)],
      [
        t('bank.fact.fromAccount'),
        body.debtorAccount && shownAccount(body.debtorAccount, own, words),
      ],
      [t('bank.fact.for'), body.remittanceInformationUnstructured],
      [
        t('bank.fact.on'),
        day !== undefined
          ? dayForPeople(day, language)
          : time !== undefined
            ? timeForPeople(time, timeZone, language)
            : undefined,
      ],
    ]),
    accounts: [],
    can: [message(words, isNew ? 'bank.payment.can' : 'bank.paymentCancellation.can')],
    cannot: [message(words, 'bank.cannot.accounts'), message(words, 'bank.cannot.pay')],
  }
}

function ofConsent(consent: Consent, { approval, app, own, words }: Told): Summary {
  return {
    approval,
    asks: message(words, 'bank.consent.asks', { app }),
    facts: [],
    accounts: listed(consent.access, own, words),
    can: [seenOf(consent.access, words), howLong(consent, words)],
    cannot: [message(words, 'bank.cannot.moveMoney'), message(words, 'bank.cannot.password')],
  }
}

function ofMandate({ body, endsOn }: Mandate, { approval, app, own, words }: Told): Summary {
  const { t, language } = words
  const ceiling = ceilingOf(body)
  const creditor = withoutHiddenMarks(body.creditor.name ?? body.mandateId)
  const isNew = approval === 'mandate'
  return {
    approval,
    asks: isNew
      ? message(words, 'bank.mandate.asks', { app, creditor })
      : message(words, 'bank.mandateCancellation.asks', { app, creditor }),
    facts: facts([
      [t('bank.fact.creditor'), creditor],
      [t('bank.fact.reference'), body.mandateId],
      [t('bank.fact.fromAccount'), shownAccount(body.debtorAccount, own, words)],
      [
        t('bank.fact.atMost'),
        ceiling &&
          message(words, 'bank.fact.eachTime', { amount: moneyForPeople(ceiling, language) }),
      ],
      [
        t('bank.fact.until'),
        endsOn === null ? t('bank.fact.open') : dayForPeople(endsOn, language),
      ],
    ]),
    accounts: [],
    can: [
      isNew
        ? message(words, 'bank.mandate.can', { creditor })
        : message(words, 'bank.mandateCancellation.can', { creditor }),
    ],
    cannot: [message(words, 'bank.cannot.accounts')],
  }
}

/** Every account of the three lists once, with what the application sees if that differs. */
function listed(access: AccountAccess, own: readonly Named[], words: Words): ShownAccount[] {
  const found = new Map<string, Listed>()
  for (const list of ['accounts', ...seenParts] as const) {
    for (const reference of access[list] ?? []) {
      const { currency, ...shown } = shownAccount(reference, own, words)
      const key = JSON.stringify(shown)
      const entry = found.get(key) ?? { shown, currencies: new Map() }
      found.set(key, entry)
      const known = entry.currencies.get(list) ?? new Set()
      entry.currencies.set(list, currency === undefined ? known : known.add(currency))
    }
  }
  const all = [...found.values()].map((entry) => extentIn(entry, words))
  const [first] = all
  const isUniform = all.every(({ sees, isMixed }) => !isMixed && sees === first?.sees)
  return all.map(({ shown, sees }) => (isUniform ? shown : { ...shown, sees }))
}

/** An account of a consent, and the currencies in which each list names it. */
interface Listed {
  readonly shown: Omit<ShownAccount, 'currency'>
  readonly currencies: Map<'accounts' | Part, Set<string>>
}

interface Extent {
  readonly shown: ShownAccount
  readonly sees: string
  /** Whether the application sees one thing in other currencies than another, which `sees` then says. */
  readonly isMixed: boolean
}

function extentIn({ shown, currencies }: Listed, words: Words): Extent {
  const parts = seenParts.filter((part) => currencies.has(part))
  const inWords = (list: 'accounts' | Part) => [...(currencies.get(list) ?? [])].join(', ')
  const [currency = '', ...others] = new Set(
    parts.length === 0 ? [inWords('accounts')] : parts.map(inWords),
  )
  if (others.length === 0) {
    const sees = words.t(`bank.sees.${extentOf(parts)}`)
    return { shown: { ...shown, currency: currency || undefined }, sees, isMixed: false }
  }
  const each = parts.map((part) => {
    const what = words.t(`bank.sees.${part}`)
    const named = inWords(part)
    return named === '' ? what : words.t('bank.sees.inCurrency', { what, currency: named })
  })
  const { locale } = languageFacts[words.language]
  const sees = new Intl.ListFormat(locale, { type: 'conjunction' }).format(each)
  return { shown: { ...shown, currency: undefined }, sees, isMixed: true }
}

const seenParts = ['balances', 'transactions'] as const
type Part = (typeof seenParts)[number]

/** The data of an account that becomes visible in addition to its name and number. */
function extentOf(parts: readonly Part[]): Part | 'both' | 'none' {
  return parts.length > 1 ? 'both' : (parts[0] ?? 'none')
}

/** The data that becomes visible, in one line. */
function seenOf(access: AccountAccess, words: Words): Html {
  const kinds = access.restrictedTo?.length ? kindsOf(access.restrictedTo, words) : undefined
  switch (consentModel(access)) {
    case 'availableAccounts':
      return kinds === undefined
        ? message(words, 'bank.can.list')
        : message(words, 'bank.can.listOnly', { kinds })
    case 'availableAccountsWithBalance':
      return kinds === undefined
        ? message(words, 'bank.can.listWithBalances')
        : message(words, 'bank.can.listWithBalancesOnly', { kinds })
    case 'bankOffered':
      return kinds === undefined
        ? message(words, 'bank.can.chosen')
        : message(words, 'bank.can.chosenOnly', { kinds })
    case 'detailed': {
      const extent = extentOf(seenParts.filter((part) => access[part]?.length))
      return message(words, `bank.can.${extent}`)
    }
    default:
      return kinds === undefined
        ? message(words, 'bank.can.everything')
        : message(words, 'bank.can.everythingOnly', { kinds })
  }
}

function kindsOf(types: readonly string[], { t, language }: Words): string {
  const names = types.map((type) => (isKind(type) ? t(`bank.kind.${type}`) : type))
  return new Intl.ListFormat(languageFacts[language].locale).format(names)
}

const knownKinds = ['CACC', 'SVGS', 'CARD'] as const

function isKind(type: string): type is (typeof knownKinds)[number] {
  return knownKinds.some((kind) => kind === type)
}

function howLong({ recurring, validUntil, frequencyPerDay }: Consent, words: Words): Html {
  if (!recurring) return message(words, 'bank.can.once')
  const day = dayForPeople(validUntil, words.language)
  return message(words, 'bank.can.until', { day, times: frequencyPerDay })
}

/** Omits facts that are not in the request. */
function facts(
  all: readonly (readonly [name: string, value: string | Html | ShownAccount | undefined])[],
): Summary['facts'] {
  return all.flatMap(([name, value]) => {
    if (value === undefined || value === '') return []
    return [[name, typeof value === 'string' ? isolated(value) : value] as const]
  })
}
