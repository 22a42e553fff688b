import type { Fields, Violation } from '../catalogue/contract.ts'

/** A national identity number, or a country and a passport number (Israeli standard 1.7). */
const psuId = /^(?:\d{9}|[A-Za-z]{2}-[A-Za-z0-9]{1,16})$/

/** Fields that the Israeli standard makes mandatory where Berlin Group leaves them open, by operation. */
const mandatory: Readonly<Record<string, readonly string[]>> = {
  initiatePayment: ['PSU-ID'],
  updatePaymentAuthorisation: ['PSU-ID'],
  createConsent: ['PSU-ID', 'TPP-Redirect-URI', 'TPP-Notification-URI'],
  updateConsentAuthorisation: ['PSU-ID'],
  createMandate: ['PSU-ID'],
}

/** Violations of the standard in the headers of a strict application's call, beyond its document. */
export function strictViolations(operationId: string, headers: Fields): Violation[] {
  const violations: Violation[] = []
  const add = (path: string, rule: string, message: string) =>
    violations.push({ in: 'header', path, rule, message })
  for (const name of mandatory[operationId] ?? []) {
    if (headers[name.toLowerCase()] === undefined) add(name, 'required', 'is required')
  }
  const sent = headers['psu-id']
  if (typeof sent === 'string' && !psuId.test(sent)) {
    add('PSU-ID', 'pattern', 'must be nine digits, or a country, a hyphen and a passport number')
  }
  return violations
}
