import type { Language } from '../../../messages/language.ts'
import { sameAddress } from './same-address.ts'
import type { RegistryTransaction } from '../../../registry/transaction.ts'

/** The language that the developer with an address has chosen; undefined: none, or no such developer. */
export async function languageOfAddress(
  trx: RegistryTransaction,
  email: string,
): Promise<Language | undefined> {
  const found = await trx
    .selectFrom('developers')
    .select('language')
    .where(sameAddress(email))
    .executeTakeFirst()
  return found?.language ?? undefined
}
