import { isValidIBAN } from 'ibantools'

/** Whether the text is an IBAN with right length and check digits (ISO 13616), in the electronic form. */
export function isIban(text: string): boolean {
  return isValidIBAN(text)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether the text is a UUID. Everything else cannot be an id of ours, and never reaches SQL. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}
