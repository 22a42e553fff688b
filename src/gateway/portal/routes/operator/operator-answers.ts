import type { RecordedAudit } from '../../../registry/audit.ts'
import type { ListedApplication, ListedDeveloper } from '../../../registry/directory.ts'
import type * as registered from '../../../registry/overrides.ts'
import { instant } from '../../answers.ts'
import type {
  AuditEntry,
  LimitOverride,
  OperatedApplication,
  OperatedDeveloper,
} from '../../schemas/operator.ts'

/** A developer as operators see it. */
export function developerAnswer(developer: ListedDeveloper): OperatedDeveloper {
  const { id, email, name, isOperator, createdAt, approvedAt, suspendedAt, applications } =
    developer
  return {
    id,
    email,
    name,
    isOperator,
    createdAt: instant(createdAt),
    approvedAt: instant(approvedAt),
    suspendedAt: instant(suspendedAt),
    applications,
  }
}

/** An application as operators see it. */
export function operatedApplicationAnswer(application: ListedApplication): OperatedApplication {
  const { id, name, developerId, developerEmail, createdAt, suspendedAt, strict } = application
  return {
    id,
    name,
    developerId,
    developerEmail,
    createdAt: instant(createdAt),
    suspendedAt: instant(suspendedAt),
    strict,
  }
}

/** An override as operators see it. */
export function overrideAnswer(override: registered.LimitOverride): LimitOverride {
  const { id, api, version, limit, calls, reason, createdBy, createdAt, expiresAt } = override
  return {
    id,
    api,
    version,
    limit,
    calls,
    reason,
    createdBy,
    createdAt: instant(createdAt),
    expiresAt: instant(expiresAt),
  }
}

/** An entry of the audit log. */
export function auditAnswer(entry: RecordedAudit): AuditEntry {
  const { id, at, actor, action, subject, detail = {} } = entry
  return { id, at: instant(at), actor, action, subject, detail }
}
