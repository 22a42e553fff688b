/**
 * Roles of a payment service provider (ETSI TS 119 495, 5.1), in the order of
 * their object identifiers: account servicing, payment initiation, account
 * information, issuing of card-based payment instruments.
 */
export const psd2Roles = ['PSP_AS', 'PSP_PI', 'PSP_AI', 'PSP_IC'] as const
export type Psd2Role = (typeof psd2Roles)[number]

/** Whether a value names a role. */
export function isPsd2Role(value: unknown): value is Psd2Role {
  return psd2Roles.some((role) => role === value)
}
