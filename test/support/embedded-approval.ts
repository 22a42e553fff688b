import { lastSegment, type TestBank } from './bank.ts'

export interface EmbeddedApproval {
  readonly psuId: string
  /** Any link to the authorisation, as an answer has it. */
  readonly href: string
  /** (Default: that of the bank) */
  readonly applicationId?: string
}

/** Approves through the TPP: password, method, one-time password. Throws when a step is refused. */
export async function approve(
  bank: TestBank,
  { psuId, href, applicationId = bank.applicationId }: EmbeddedApproval,
): Promise<void> {
  const [, , collection, second = '', third = ''] = href.split('/')
  const isPayment = collection === 'payments'
  const parent = isPayment ? { 'payment-product': second, paymentId: third } : { consentId: second }
  for (const body of [
    { psuData: { password: '12345' } },
    { authenticationMethodId: 'sms-1' },
    { scaAuthenticationData: '123456' },
  ]) {
    const answer = await bank.call({
      operation: isPayment ? 'updatePaymentAuthorisation' : 'updateConsentAuthorisation',
      version: '1.6.0',
      applicationId,
      path: { ...parent, authorisationId: lastSegment(href) },
      headers: { 'psu-id': psuId },
      body,
    })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  }
}
