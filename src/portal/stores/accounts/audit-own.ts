import { recordAudit } from '../../../registry/audit/audit.ts'
import type { PortalTransaction } from '../schema.ts'

/** Records what a developer did with their own account. */
export function auditOwn(
  trx: PortalTransaction,
  developerId: string,
  action: string,
  detail: Readonly<Record<string, string>> = {},
): Promise<void> {
  const actor = `developer:${developerId}`
  return recordAudit(trx, { actor, action, subject: actor, detail })
}
