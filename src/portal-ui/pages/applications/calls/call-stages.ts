import type { CallRecord } from '../../../../portal/api/schemas/usage.ts'
import { isAdmitted } from './call-words.ts'

/** What a call passes, in this order. */
export const callStages = [
  'request',
  'operation',
  'key',
  'subscription',
  'place',
  'limit',
  'bank',
] as const
export type CallStage = (typeof callStages)[number]

/** What became of a stage: passed, failed, or never reached. */
export type StageState = 'passed' | 'failed' | 'unreached'

/** The stage at which each error code ends a call; all other codes are about the request itself. */
const endsAt: Readonly<Record<string, CallStage>> = {
  NOT_FOUND: 'operation',
  METHOD_NOT_ALLOWED: 'operation',
  OPERATION_NOT_IN_VERSION: 'operation',
  VERSION_RETIRED: 'operation',
  KEY_MISSING: 'key',
  KEY_INVALID: 'key',
  ATTEMPTS_EXCEEDED: 'key',
  REGISTRY_UNAVAILABLE: 'key',
  CLIENT_CERTIFICATE_MISSING: 'key',
  CLIENT_CERTIFICATE_INVALID: 'key',
  CLIENT_CERTIFICATE_EXPIRED: 'key',
  CLIENT_CERTIFICATE_REVOKED: 'key',
  CLIENT_CERTIFICATE_BLOCKED: 'key',
  CLIENT_ROLE_INVALID: 'key',
  REVOCATION_UNAVAILABLE: 'key',
  ADDRESS_NOT_ALLOWED: 'key',
  APPLICATION_SUSPENDED: 'subscription',
  NOT_SUBSCRIBED: 'subscription',
  CONCURRENCY_EXCEEDED: 'place',
  REQUEST_TIMEOUT: 'place',
  OVERLOADED: 'place',
  QUOTA_EXCEEDED: 'limit',
  COUNTERS_UNAVAILABLE: 'limit',
}

/** What became of a call at each stage. */
export function stagesOf(
  record: CallRecord,
): readonly { readonly stage: CallStage; readonly state: StageState }[] {
  const end = lastStage(record)
  const isAnswered = record.outcome === 'forwarded' && record.status < 500
  return callStages.map((stage) => {
    const distance = callStages.indexOf(stage) - callStages.indexOf(end)
    if (distance < 0) return { stage, state: 'passed' }
    if (distance > 0) return { stage, state: 'unreached' }
    return { stage, state: isAnswered ? 'passed' : 'failed' }
  })
}

function lastStage(record: CallRecord): CallStage {
  if (isAdmitted(record)) return 'bank'
  // The client left while the call was checked.
  if (record.outcome === 'aborted') return 'place'
  return endsAt[record.outcome] ?? 'request'
}
