/** What a test certificate is made to fail with. */
export const certificateDefects = ['expired', 'revoked', 'wrong-role'] as const
export type CertificateDefect = (typeof certificateDefects)[number]
