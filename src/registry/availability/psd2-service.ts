import type { Psd2Role } from '../../certificates/psd2-role.ts'

/**
 * The services of EBA/GL/2018/07, Guideline 2.3: account information (AIS),
 * payment initiation (PIS), confirmation of availability of funds (CBPII).
 * Empty: the document names no role for the operation (`x-psd2-role`).
 */
export const services = ['AIS', 'PIS', 'CBPII', ''] as const
export type Service = (typeof services)[number]

/** The service of an operation, by the PSD2 role that it asks for. */
export function serviceOf(role: Psd2Role | undefined): Service {
  if (role === 'PSP_AI') return 'AIS'
  if (role === 'PSP_PI') return 'PIS'
  return role === 'PSP_IC' ? 'CBPII' : ''
}
