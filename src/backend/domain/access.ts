import { type Kept, keep } from './keep.ts'
import { isAggregate } from './multicurrency.ts'

/** How a TPP or this bank names an account. */
export interface AccountReference {
  readonly iban?: string
  readonly bban?: string
  readonly maskedPan?: string
  readonly msisdn?: string
  readonly other?: { readonly identification: string }
  /**
   * ISO 4217. `ILY` stands for every currency but ILS, `XXX` for the account that
   * combines all currencies. Absent: every currency, and that account too.
   */
  readonly currency?: string
  /** `CARD` names the cards settled through the IBAN; absent: the payment account. */
  readonly cashAccountType?: string
}

/** Members of a reference to an account. */
export const referenceMembers = {
  iban: true,
  bban: true,
  maskedPan: true,
  msisdn: true,
  other: { identification: true, schemeNameCode: true, schemeNameProprietary: true, issuer: true },
  currency: true,
  cashAccountType: true,
} as const satisfies Kept

const lists = ['accounts', 'balances', 'transactions'] as const
const flags = ['availableAccounts', 'availableAccountsWithBalance', 'allPsd2'] as const

/** The data that a TPP asks to see (`access` of the documents). */
export interface AccountAccess {
  readonly accounts?: readonly AccountReference[]
  readonly balances?: readonly AccountReference[]
  readonly transactions?: readonly AccountReference[]
  readonly availableAccounts?: string
  readonly availableAccountsWithBalance?: string
  readonly allPsd2?: string
  readonly additionalInformation?: Readonly<
    Partial<Record<'ownerName' | 'trustedBeneficiaries', readonly AccountReference[]>>
  >
  /** Cash account types to which the consent is restricted. */
  readonly restrictedTo?: readonly string[]
}

const members = {
  accounts: referenceMembers,
  balances: referenceMembers,
  transactions: referenceMembers,
  availableAccounts: true,
  availableAccountsWithBalance: true,
  allPsd2: true,
  additionalInformation: { ownerName: referenceMembers, trustedBeneficiaries: referenceMembers },
  restrictedTo: true,
} as const satisfies Kept

/**
 * Reads an access that matches its document. Drops unknown members, and empty lists
 * beside a flag.
 */
export function readAccess(access: unknown): AccountAccess {
  // The document has checked every member that is kept.
  const kept = keep(access, members) as AccountAccess
  if (flags.every((name) => kept[name] === undefined)) return kept
  return Object.fromEntries(
    Object.entries(kept).filter(([name]) => !lists.some((list) => list === name)),
  )
}

/** Named accounts, accounts the PSU picks at the bank, or one of the three flags. */
export type ConsentModel = 'detailed' | 'bankOffered' | (typeof flags)[number]

/**
 * The model of an access.
 *
 * @returns undefined for an access that is empty or mixes models
 */
export function consentModel(access: AccountAccess): ConsentModel | undefined {
  const given = lists.map((name) => access[name]).filter((list) => list !== undefined)
  const raised = flags.filter((name) => access[name] !== undefined)
  if (raised.length > 0) return raised.length === 1 && given.length === 0 ? raised[0] : undefined
  const filled = given.filter((list) => list.length > 0)
  if (given.length === 0 || (filled.length > 0 && filled.length < given.length)) return undefined
  if (filled.length === 0) return 'bankOffered'
  return (access.restrictedTo ?? []).length === 0 ? 'detailed' : undefined
}

/**
 * What a consent lets a TPP do with one account: `list` to see it in the list,
 * `listBalances` its balances there too, `detail` to read it alone.
 */
export type Right = 'list' | 'detail' | 'listBalances' | 'balances' | 'transactions'

/** The rights matrix (docs/bank.md, Consents): the rights of each attribute of an access. */
const rightsOf: Readonly<Record<keyof AccountAccess & string, readonly Right[]>> = {
  accounts: ['list', 'detail'],
  balances: ['list', 'detail', 'listBalances', 'balances'],
  transactions: ['list', 'detail', 'transactions'],
  availableAccounts: ['list'],
  availableAccountsWithBalance: ['list', 'listBalances'],
  allPsd2: ['list', 'detail', 'listBalances', 'balances', 'transactions'],
  additionalInformation: [],
  restrictedTo: [],
}

/** The members of a PSU's account or card account that a reference can name. */
export interface Holding {
  readonly id: string
  readonly kind: 'account' | 'cardAccount'
  /** IBAN of the account, or of the account that settles the card. */
  readonly iban: string
  readonly maskedPan?: string
  readonly currency: string
  readonly cashAccountType: string
}

/** Whether a reference names a holding. */
export function names(reference: AccountReference, holding: Holding): boolean {
  const isCurrency =
    reference.currency === undefined ||
    reference.currency === holding.currency ||
    // The account that combines all sub-accounts also shows the one in ILS.
    (reference.currency === 'ILY' && holding.currency !== 'ILS' && !isAggregate(holding))
  if (!isCurrency) return false
  if (reference.maskedPan !== undefined) return reference.maskedPan === holding.maskedPan
  if (reference.iban !== holding.iban) return false
  return (holding.kind === 'cardAccount') === (reference.cashAccountType === 'CARD')
}

/** One right on one holding. */
export interface Grant {
  readonly kind: Holding['kind']
  readonly id: string
  readonly right: Right
}

/**
 * The rights that an approved access grants on the holdings of the PSU.
 *
 * @returns undefined if the access names an account that the PSU does not have
 */
export function grantsOf(access: AccountAccess, holdings: readonly Holding[]): Grant[] | undefined {
  const model = consentModel(access)
  if (model === undefined) return undefined
  const grants = new Map<string, Grant>()
  const grant = ({ id, kind }: Holding, rights: readonly Right[]) => {
    for (const right of rights) grants.set(`${id} ${right}`, { id, kind, right })
  }
  if (model !== 'detailed') {
    const attributes =
      model === 'bankOffered' ? lists.filter((name) => access[name] !== undefined) : [model]
    for (const holding of offered(access, holdings)) {
      for (const attribute of attributes) grant(holding, rightsOf[attribute])
    }
    return [...grants.values()]
  }
  for (const list of lists) {
    for (const reference of access[list] ?? []) {
      const named = holdings.filter((holding) => names(reference, holding))
      if (named.length === 0) return undefined
      for (const holding of named) grant(holding, rightsOf[list])
    }
  }
  return [...grants.values()]
}

/** The paths of references to accounts that the PSU does not have: `['balances[1]']`. */
export function unknownReferences(
  access: AccountAccess,
  holdings: readonly Holding[],
): readonly string[] {
  return lists.flatMap((list) =>
    (access[list] ?? []).flatMap((reference, index) =>
      holdings.some((holding) => names(reference, holding)) ? [] : [`${list}[${index}]`],
    ),
  )
}

/** The holdings that an access without references covers. */
function offered({ restrictedTo = [] }: AccountAccess, holdings: readonly Holding[]) {
  return restrictedTo.length === 0
    ? holdings
    : holdings.filter(({ cashAccountType }) => restrictedTo.includes(cashAccountType))
}

/**
 * The access of a bank-offered consent after the approval: the requested lists,
 * filled with the accounts that the PSU has picked.
 */
export function offeredAccess(access: AccountAccess, holdings: readonly Holding[]): AccountAccess {
  const shown = new Map<string, AccountReference>()
  for (const holding of offered(access, holdings)) {
    const reference = {
      iban: holding.iban,
      ...shownCurrency(holding),
      ...(holding.kind === 'cardAccount' ? { cashAccountType: 'CARD' } : {}),
    }
    shown.set(JSON.stringify(reference), reference)
  }
  const references = [...shown.values()]
  const { restrictedTo: _, ...rest } = access
  return {
    ...rest,
    ...Object.fromEntries(
      lists.filter((name) => access[name] !== undefined).map((name) => [name, references]),
    ),
  }
}

/** The Israeli standard has `ILS`, `ILY` for all other currencies, and no currency for the account that combines them. */
function shownCurrency(holding: Holding): { readonly currency?: string } {
  const { iban, currency } = holding
  if (!iban.startsWith('IL') || currency === 'ILS') return { currency }
  return isAggregate(holding) ? {} : { currency: 'ILY' }
}
