import { type Kysely, type Selectable, sql } from 'kysely'
import type { RegistrySchema } from './schema.ts'
import { isUuid } from './transaction.ts'

/** What became of one call. */
export interface CallRecord {
  readonly requestId: string
  /** When it began. */
  readonly at: Date
  readonly method: string
  readonly api: string | null
  readonly version: string | null
  readonly operation: string | null
  readonly keyId: string
  /** When the key ends or ended; null: never, or nothing is known of the key any more. */
  readonly keyExpiresAt: Date | null
  /** Null: never, or nothing is known of the key any more. */
  readonly keyRevokedAt: Date | null
  /** `forwarded`, `aborted` or the code of the refusal. */
  readonly outcome: string
  /** What the refusal said. */
  readonly detail: string | null
  /** Of the limit; null: the limit was not asked. */
  readonly decision: string | null
  /** 0: no answer was begun. */
  readonly status: number
  /** The limit with the fewest calls left, as it held for the call. */
  readonly limit: RecordedLimit | null
  readonly totalMs: number
  /** Of that, waiting for the backend; null when it was not asked. */
  readonly upstreamMs: number | null
}

export interface RecordedLimit {
  readonly scope: string
  readonly calls: number
  readonly windowSeconds: number
  readonly remaining: number
  /** Null: nobody knew (an outage). */
  readonly resetsAt: Date | null
}

/** The latest calls of applications, about a second behind. Bounded: for each its last 1,000 of 24 hours. Newest first. */
export interface CallRecords {
  list(options: {
    readonly applicationId: string
    /** Only those made with this key. */
    readonly keyId?: string | undefined
    readonly limit: number
  }): Promise<CallRecord[]>
  /** Those with that X-Request-ID, at most 100; none for what is no UUID. */
  withRequestId(options: {
    readonly applicationId: string
    readonly requestId: string
  }): Promise<CallRecord[]>
}

const withSameIdMax = 100

/** Reads what the gateways have written; works without any of them. */
export function createCallRecords({ db }: { db: Kysely<RegistrySchema> }): CallRecords {
  function select(applicationId: string) {
    return db
      .selectFrom('call_records as r')
      .leftJoin('api_keys as k', 'k.id', 'r.key_id')
      .selectAll('r')
      .select(['k.expires_at as key_expires_at', 'k.revoked_at as key_revoked_at'])
      .where('r.application_id', '=', applicationId)
      .where('r.at', '>', sql<Date>`now() - interval '24 hours'`)
      .orderBy('r.at', 'desc')
      .orderBy('r.id', 'desc')
  }

  return {
    async list({ applicationId, keyId, limit }) {
      let query = select(applicationId).limit(limit)
      if (keyId !== undefined) query = query.where('r.key_id', '=', keyId)
      return (await query.execute()).map(toRecord)
    },

    async withRequestId({ applicationId, requestId }) {
      const id = requestId.toLowerCase()
      if (!isUuid(id)) return []
      const query = select(applicationId).where('r.request_id', '=', id).limit(withSameIdMax)
      return (await query.execute()).map(toRecord)
    },
  }
}

type Row = Selectable<RegistrySchema['call_records']> & {
  readonly key_expires_at: Date | null
  readonly key_revoked_at: Date | null
}

function toRecord(row: Row): CallRecord {
  return {
    requestId: row.request_id,
    at: row.at,
    method: row.method,
    api: row.api,
    version: row.version,
    operation: row.operation,
    keyId: row.key_id,
    keyExpiresAt: row.key_expires_at,
    keyRevokedAt: row.key_revoked_at,
    outcome: row.outcome,
    detail: row.detail,
    decision: row.decision,
    status: row.status,
    limit: limitOf(row),
    totalMs: row.total_ms,
    upstreamMs: row.upstream_ms,
  }
}

function limitOf(row: Row): RecordedLimit | null {
  const { limit_scope: scope, limit_calls: calls, window_seconds: windowSeconds, remaining } = row
  if (scope === null || calls === null || windowSeconds === null || remaining === null) return null
  return { scope, calls, windowSeconds, remaining, resetsAt: row.resets_at }
}
