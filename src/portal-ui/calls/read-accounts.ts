import { listOf, type Members, membersOf, textOf } from '../../portal/documents/document-nodes.ts'
import { parseJson } from '../parse-json.ts'
import { type CallDraft, draftCall, valueKey } from './call-draft.ts'
import type { CallShape, ListedOperation } from './call-shape.ts'
import { idName } from './id-name.ts'

/** An account as listed in the portal. */
export interface ShownAccount {
  readonly id: string
  readonly name: string
  readonly iban: string
  readonly currency: string
  /** The available balance, or else the first balance; undefined without balances. */
  readonly balance: { readonly amount: string; readonly currency: string } | undefined
}

/** The operation that lists accounts; undefined if the version has none. */
export function accountsOperation<Operation extends ListedOperation>(
  operations: readonly Operation[],
): Operation | undefined {
  return operations.find(listsAccounts)
}

/** Whether a call lists the accounts of a consent. */
export function listsAccounts({ method, path }: Pick<ListedOperation, 'method' | 'path'>): boolean {
  return method === 'GET' && /^\/[^/]+\/accounts$/.test(path)
}

/**
 * Drafts the call that reads the accounts of a consent for a customer who is
 * present: with balances, and with the address that keeps the call from counting
 * as one of the day's unattended reads.
 */
export function draftOfAccounts(shape: CallShape, consentId: string): CallDraft {
  const { values, ...draft } = draftCall(shape, { [idName('Consent-ID')]: consentId })
  const further = shape.parameters.flatMap((parameter) => {
    const { name, example } = parameter
    if (name === 'withBalance') return [[valueKey(parameter), 'true']]
    return name === 'PSU-IP-Address' ? [[valueKey(parameter), example]] : []
  })
  return { ...draft, values: { ...values, ...Object.fromEntries(further) } }
}

/** The accounts in a response; empty if it is not a list of accounts. */
export function accountsIn(body: string): readonly ShownAccount[] {
  return listOf(membersOf(parseJson(body))['accounts']).map((each) => {
    const account = membersOf(each)
    return {
      id: textOf(account['resourceId']),
      name: textOf(account['displayName']) || textOf(account['name']) || textOf(account['product']),
      iban: textOf(account['iban']),
      currency: textOf(account['currency']),
      balance: balanceOf(listOf(account['balances']).map(membersOf)),
    }
  })
}

function balanceOf(balances: readonly Members[]): ShownAccount['balance'] {
  const available = balances.find(({ balanceType }) => balanceType === 'interimAvailable')
  const { amount, currency } = membersOf((available ?? balances[0])?.['balanceAmount'])
  return amount === undefined ? undefined : { amount: textOf(amount), currency: textOf(currency) }
}
