import type { Bank } from '../bank.ts'
import { isUuid } from '../domain/identifiers.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Mandate } from '../stores/mandates.ts'
import type { Clockwork } from './clockwork.ts'

/** What the bank does with a mandate; all of it in the transaction of `stores`. */
export interface MandateWork {
  readonly bank: Pick<Bank, 'randomUUID' | 'timeZone'>
  readonly clockwork: Pick<Clockwork, 'lock'>
  readonly stores: Stores
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Finds a mandate as it is at `now` and holds it until the transaction ends; undefined: none has this id. */
export async function lockMandate(
  { clockwork, stores, now }: Pick<MandateWork, 'clockwork' | 'stores' | 'now'>,
  id: string,
): Promise<Mandate | undefined> {
  if (!isUuid(id)) return undefined
  await clockwork.lock(stores, { kind: 'mandate', id }, now)
  return stores.mandates.find(id)
}
