import type { Psd2Role } from '../../certificates/psd2-role.ts'

/**
 * A PSD2 service of EBA/GL/2018/07, Guideline 2.3: account information (AIS),
 * payment initiation (PIS), confirmation of availability of funds (CBPII).
 * Empty: none, because the operation asks for no role (`x-psd2-role`).
 */
export type Psd2Service = 'AIS' | 'PIS' | 'CBPII' | ''

/** The service that an operation belongs to, by the PSD2 role that it asks for. */
export function psd2ServiceOf(role: Psd2Role | undefined): Psd2Service {
  if (role === 'PSP_AI') return 'AIS'
  if (role === 'PSP_PI') return 'PIS'
  return role === 'PSP_IC' ? 'CBPII' : ''
}
