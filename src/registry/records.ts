import type { Database } from '../platform/database/database.ts'
import { createAudit } from './audit/audit.ts'
import { createAuditChain } from './audit/audit-chain.ts'
import { createSecurityEventLog } from './audit/security-event-log.ts'
import { createStaff } from './audit/staff.ts'
import { createAvailability } from './availability/availability.ts'
import type { Peppers } from './keys/key-mac.ts'
import type { RegistrySchema } from './schema.ts'
import { createCallRecords } from './usage/call-records.ts'
import { createExceededUsages } from './usage/exceeded-usage.ts'
import { createRehearsedUsages } from './usage/rehearsed-usage.ts'
import { createUsageHistory } from './usage/usage-history.ts'
import { createUsageReport } from './usage/usage-report.ts'

/** The stores of what happened: calls, figures, availability, the audit log and security events. */
export type Records = ReturnType<typeof openRecords>

export interface RecordsOptions {
  /** Its tables exist: see {@link openKeyStores}. */
  readonly database: Database
  readonly peppers: Peppers
  readonly now?: () => number
}

/** Opens these stores; asks the database nothing yet. */
export function openRecords({ database, peppers, now = Date.now }: RecordsOptions) {
  const db = database.connect<RegistrySchema>()
  return {
    audit: createAudit({ db }),
    auditChain: createAuditChain({ db, peppers }),
    securityEvents: createSecurityEventLog({ db }),
    staff: createStaff({ db }),
    availability: createAvailability({ db, now }),
    calls: createCallRecords({ db }),
    usage: createUsageHistory({ db }),
    usageReport: createUsageReport({ db }),
    rehearsedUsage: createRehearsedUsages({ db }),
    exceededUsage: createExceededUsages({ db }),
  }
}
