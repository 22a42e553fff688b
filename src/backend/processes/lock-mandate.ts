import { isUuid } from '../domain/identifiers.ts'
import type { Mandate } from '../stores/mandates.ts'
import type { BankWork } from './bank-work.ts'

/** Finds a mandate as it is at `now` and holds it until the transaction ends; undefined: none has this id. */
export async function lockMandate(
  { clockwork, stores, now }: Pick<BankWork, 'clockwork' | 'stores' | 'now'>,
  id: string,
): Promise<Mandate | undefined> {
  if (!isUuid(id)) return undefined
  await clockwork.lock(stores, { kind: 'mandate', id }, now)
  return stores.mandates.find(id)
}
