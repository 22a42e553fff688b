import type { Words } from '../../messages/format.ts'
import type { Sandbox, SandboxCustomer } from '../api/schemas/sandbox.ts'
import { escapeHtml } from './escape-html.ts'

/** What a reader of the sandbox has before any script, as HTML: the secrets, and each customer with ids and accounts. */
export function sandboxOutline({ secrets, customers }: Sandbox, words: Words): string {
  const { t } = words
  const facts = [
    fact(t('sandbox.password'), secrets.password),
    fact(t('sandbox.oneTimePassword'), secrets.oneTimePassword),
  ]
  const rows = customers.map((customer) => `<li>${customerOutline(customer, words)}</li>`)
  return `<div class="sk-people">${facts.join('')}<ul>${rows.join('')}</ul></div>`
}

function customerOutline(customer: SandboxCustomer, { language, t }: Words): string {
  const isHebrew = language === 'he'
  const { psuId, alias, accounts } = customer
  const name = isHebrew ? customer.nameInHebrew : customer.name
  const behaviour = isHebrew ? customer.behavesInHebrew : customer.behaves
  const facts = [
    fact(t('people.id'), psuId),
    fact(t('people.alias'), alias),
    ...accounts.map((account) =>
      fact(isHebrew ? account.nameInHebrew : account.name, account.iban),
    ),
  ]
  return `<h2><bdi>${escapeHtml(name)}</bdi></h2><p>${escapeHtml(behaviour)}</p>${facts.join('')}`
}

function fact(term: string, value: string): string {
  return `<p><bdi>${escapeHtml(term)}</bdi> <code dir="ltr">${escapeHtml(value)}</code></p>`
}
