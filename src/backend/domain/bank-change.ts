/** Changes that the bank, or its customer, makes to a consent or a mandate without the TPP. */
export const bankChanges = ['suspend', 'resume', 'revoke'] as const
export type BankChange = (typeof bankChanges)[number]
