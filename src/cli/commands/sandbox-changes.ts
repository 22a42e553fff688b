import type { BankChange } from '../../backend/domain/bank-change.ts'
import { isUuid } from '../../backend/domain/identifiers.ts'
import { findLocalInstrument } from '../../backend/domain/local-instruments.ts'
import {
  changeConsent,
  changeMandate,
  Unchangeable,
} from '../../backend/processes/change-at-bank.ts'
import { type Collected, CollectionRefused, collect } from '../../backend/processes/collect.ts'
import { withBank } from '../bank-session.ts'
import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'

export interface SandboxChange {
  readonly kind: 'consent' | 'mandate'
  readonly id: string
  readonly change: BankChange
}

/**
 * Changes a consent or a mandate at the bank's side.
 *
 * @returns its new status
 * @throws {CommandError} when it does not exist, or its state does not accept the change; the message says what is possible
 */
export function changeAtBank(
  { settings, now }: Pick<CommandContext, 'settings' | 'now'>,
  { kind, id, change }: SandboxChange,
): Promise<string> {
  return withBank(settings(), async (bank) => {
    await bank.clockwork.catchUp(now())
    try {
      return await bank.stores.transaction((stores) => {
        const work = { bank, stores, now: now() }
        return kind === 'consent'
          ? changeConsent(work, id, change)
          : changeMandate(work, id, change)
      })
    } catch (error) {
      throw error instanceof Unchangeable ? refused(error, id) : error
    }
  })
}

function refused({ kind, status, possible }: Unchangeable, id: string): CommandError {
  if (status === undefined) return new CommandError(`no ${kind} "${id}"`)
  const text = possible.length === 0 ? 'nothing' : possible.join(', ')
  return new CommandError(`${kind} ${id} is ${status}; possible now: ${text}`)
}

export interface CollectOptions {
  readonly id: string
  /** In the currency of the mandate. */
  readonly amount: string
  readonly remittance: string | undefined
}

/**
 * Presents a debit on a mandate, after the payments that come out of the same funds.
 *
 * @throws {CommandError} with the reason for which the debtor's bank returns it
 */
export function collectAtBank(
  { settings, now }: Pick<CommandContext, 'settings' | 'now'>,
  { id, amount, remittance }: CollectOptions,
): Promise<Collected> {
  if (remittance !== undefined && [...remittance].length > 140) {
    throw new CommandError('--remittance has more than 140 characters')
  }
  return withBank(settings(), async (bank) => {
    const mandate = isUuid(id) ? await bank.stores.mandates.find(id) : undefined
    const instrument = findLocalInstrument(mandate?.body.type.localInstrumentCode)
    if (instrument === undefined) throw new CommandError(`no mandate "${id}"`)
    const { currency } = instrument
    const { failures } = await bank.clockwork.catchUp(now())
    if (failures.length > 0) throw failures[0]
    try {
      return await bank.stores.transaction((stores) =>
        collect(
          { bank, stores, now: now() },
          {
            id,
            amount: { amount, currency },
            ...(remittance === undefined ? {} : { remittance }),
          },
        ),
      )
    } catch (error) {
      if (!(error instanceof CollectionRefused)) throw error
      throw new CommandError(`the debtor's bank returns the collection: ${error.message}`)
    }
  })
}
