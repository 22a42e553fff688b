import { type KeyStores, type KeyStoresOptions, openKeyStores } from '../../registry/key-stores.ts'
import { openRecords, type Records } from '../../registry/records.ts'
import { openPortalStores, type PortalStores } from './portal-stores.ts'

/** Everything in the database but the bank. */
export interface Stores extends KeyStores, Records, PortalStores {}

/**
 * Opens all stores for a command, which runs alone and does not follow changes.
 *
 * @throws when the database does not answer or a migration fails
 */
export async function openStores(options: KeyStoresOptions): Promise<Stores> {
  const keyStores = await openKeyStores(options)
  return { ...keyStores, ...openRecords(options), ...openPortalStores(options) }
}
