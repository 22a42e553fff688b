import type { ScaApproach } from '../domain/authorisation.ts'

const wheres: Readonly<Record<ScaApproach, string>> = {
  REDIRECT: 'on the page of the bank',
  DECOUPLED: 'in the app of the bank',
  EMBEDDED: 'with your password and the code sent to you',
}

/** The message that the TPP shows the PSU after it has created a resource. */
export function approvalMessage(
  approach: ScaApproach,
  what: 'payment' | 'consent' | 'mandate',
): string {
  return `Please approve the ${what} ${wheres[approach]}`
}
