import { type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import type { CallRecord } from '../../registry/usage/call-records.ts'
import { explainRecord } from './explain-record.ts'
import type * as shown from './schemas/usage.ts'

/**
 * A record as the JSON API shows it.
 *
 * @param nowMs milliseconds since 1970
 */
export function recordAnswer(
  record: CallRecord,
  catalogue: Catalogue,
  nowMs: number,
): shown.CallRecord {
  const { id: _, at, keyExpiresAt, keyRevokedAt, limit, ...plain } = record
  // While the store is down, the number of calls used is unknown.
  const isCounted = limit !== null && limit.resetsAt !== null
  return {
    ...plain,
    at: at.toISOString(),
    path: pathOf(record, catalogue),
    keyExpiresAt: keyExpiresAt?.toISOString() ?? null,
    keyRevokedAt: keyRevokedAt?.toISOString() ?? null,
    limit: limit?.calls ?? null,
    limitScope: limit?.scope ?? null,
    windowSeconds: limit?.windowSeconds ?? null,
    calendarWindow: limit?.calendarWindow ?? null,
    used: isCounted ? limit.calls - limit.remaining : null,
    remaining: isCounted ? limit.remaining : null,
    resetsAt: limit?.resetsAt?.toISOString() ?? null,
    reason: explainRecord(record, nowMs),
  }
}

/** As published: the path that a client sent may contain personal data. */
function pathOf({ api, version, operation, path }: CallRecord, { versions }: Catalogue) {
  if (api === null || version === null || operation === null) return path
  const published = versions.get(versionKey(api, version))
  return published?.operations.find(({ id }) => id === operation)?.path ?? null
}
