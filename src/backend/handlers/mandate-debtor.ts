import type { BankCall } from '../bank-call.ts'
import { formatError } from '../bank-error.ts'
import type { LocalInstrument } from '../domain/local-instruments.ts'
import type { MandateReason } from '../domain/mandate.ts'
import type { MandateRequest } from '../domain/mandate-request.ts'
import type { Account } from '../stores/accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'
import { findPsu, knownPsu } from './find-psu.ts'

/** The person who must approve a mandate, or the reason why the bank rejects it without asking. */
export interface MandateDebtor {
  readonly psu: Psu
  /** Undefined if the bank does not reject it. */
  readonly reason: MandateReason | undefined
}

/**
 * Finds the owner of the account that a mandate debits: the PSU of the call, if
 * it names one. Another person's account then gets the same answer as
 * an unknown one (AC01), so that a caller cannot find out who owns it.
 *
 * @throws {BankError} 400 FORMAT_ERROR when no PSU is named and there is no such account
 */
export async function findDebtor(
  stores: Stores,
  call: BankCall,
  body: MandateRequest,
  instrument: LocalInstrument,
): Promise<MandateDebtor> {
  const named = await findPsu(stores, call)
  const accounts = await stores.accounts.byIban(body.debtorAccount.iban ?? '')
  const account = accounts.find(({ currency }) => currency === instrument.currency)
  if (named !== undefined && named.id !== account?.psuId) return { psu: named, reason: 'AC01' }
  if (account === undefined) {
    throw formatError('debtorAccount', `There is no such account in ${instrument.currency}`)
  }
  const psu = named ?? (await knownPsu(stores, account.psuId))
  return { psu, reason: rejectionOf(body, account, psu, instrument) }
}

/** Why a mandate cannot debit an account of the PSU; undefined if it can. */
function rejectionOf(
  { debtor }: MandateRequest,
  account: Account,
  psu: Psu,
  instrument: LocalInstrument,
): MandateReason | undefined {
  if (account.status === 'deleted') return 'AC04'
  if (account.status === 'blocked') return 'AC06'
  if (account.cashAccountType !== 'CACC') return 'AG01'
  if (instrument.isForOrganisations && account.usage !== 'ORGA') return 'MD09'
  const isAnotherPerson = debtor.identification?.privateId?.others?.some(
    ({ schemeNameCode, identification }) => schemeNameCode === 'NIDN' && identification !== psu.id,
  )
  return isAnotherPerson === true ? 'BE01' : undefined
}
