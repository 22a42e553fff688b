import { isValidIBAN } from 'ibantools'
import { isCheckedBy97 } from './mod97.ts'

/** Whether the text is an IBAN with correct length and check digits (ISO 13616), in the electronic form. */
export function isIban(text: string): boolean {
  return isValidIBAN(text)
}

/** Whether the text is a creditor reference with correct check digits (ISO 11649): `RF18539007547034`. */
export function isCreditorReference(text: string): boolean {
  if (!/^RF\d{2}[A-Z0-9]{1,21}$/.test(text)) return false
  return isCheckedBy97(text.slice(4) + text.slice(0, 4))
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether the text is a UUID, as all ids of the bank are. Other texts must not reach SQL. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}
