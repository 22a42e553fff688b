import type { SandboxCustomer } from '../portal/api/schemas/sandbox.ts'
import { pageLanguage } from './words.ts'

/** Name of a sandbox customer in the page's language. */
export function customerName({ name, nameInHebrew }: SandboxCustomer): string {
  return pageLanguage() === 'he' ? nameInHebrew : name
}
