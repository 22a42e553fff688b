import { isCheckedBy97 } from './mod97.ts'

const format = /^[A-Z]{2}\d{2}[A-Z0-9]{3}[A-Za-z0-9]{1,28}$/

/**
 * Whether the text is a SEPA creditor identifier with correct check digits (EPC
 * AT-02): country, two check digits (ISO 7064, modulus 97), a business code of
 * three characters, which the check digits ignore, and the national identifier.
 * Example: `DE98ZZZ09999999999`.
 */
export function isCreditorIdentifier(text: string): boolean {
  if (!format.test(text)) return false
  return isCheckedBy97(text.slice(7) + text.slice(0, 4))
}

/** The identifier without its business code, which does not distinguish creditors. */
export function creditorOf(identifier: string): string {
  return `${identifier.slice(0, 4)}${identifier.slice(7)}`.toUpperCase()
}
