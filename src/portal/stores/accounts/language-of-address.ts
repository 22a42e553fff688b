import type { Language } from '../../../messages/language.ts'
import type { PortalTransaction } from '../schema.ts'
import { sameAddress } from './same-address.ts'

/** The language that the developer with an address has chosen; undefined: none, or no such developer. */
export async function languageOfAddress(
  trx: PortalTransaction,
  email: string,
): Promise<Language | undefined> {
  const found = await trx
    .selectFrom('developers')
    .select('language')
    .where(sameAddress(email))
    .executeTakeFirst()
  return found?.language ?? undefined
}
