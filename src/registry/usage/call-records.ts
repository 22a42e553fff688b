import { type Kysely, type Selectable, sql } from 'kysely'
import type { ShownWindow } from '../../catalogue/catalogue.ts'
import { readWindowLength, shownWindow } from '../../catalogue/window-length.ts'
import { isUuid } from '../../platform/database/uuid.ts'
import type { RegistrySchema } from '../schema.ts'

/** Number of newest records kept per application. */
export const recordsKept = 1_000
/** How long records are kept. */
export const recordsKeptHours = 24

/** The outcome of one call. */
export interface CallRecord {
  /** Places it in a list. */
  readonly id: number
  readonly requestId: string
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** When it began. */
  readonly at: Date
  readonly method: string
  readonly api: string | null
  readonly version: string | null
  readonly operation: string | null
  /** As published, of a call without an operation: its path does not have the method, or the version is retired. */
  readonly path: string | null
  readonly keyId: string
  /** When the key expires or expired; null: never, or the key is unknown by now. */
  readonly keyExpiresAt: Date | null
  /** Null: never, or the key is unknown by now. */
  readonly keyRevokedAt: Date | null
  /** Whether the key was made for a page of the portal. */
  readonly isPageKey: boolean
  /** `forwarded`, `aborted`, `cut` or the code of the refusal. */
  readonly outcome: string
  /** The detail of the refusal. */
  readonly detail: string | null
  /** The limit's decision; null: the limit was not asked. */
  readonly decision: string | null
  /** 0: no response was begun. */
  readonly status: number
  /** The limit with the fewest calls left, as it applied to the call. */
  readonly limit: RecordedLimit | null
  readonly totalMs: number
  /** Part of that spent waiting for the backend; null when the call was not forwarded. */
  readonly upstreamMs: number | null
  /** The answer that it asked for as a drill, or `refused`; null: a call. */
  readonly drill: string | null
}

export interface RecordedLimit extends ShownWindow {
  readonly scope: string
  readonly calls: number
  readonly remaining: number
  /** Null: unknown (an outage). */
  readonly resetsAt: Date | null
}

/** The latest calls of applications, about a second behind: per application its last 1,000 within 24 hours. Newest first. */
export interface CallRecords {
  list(options: {
    readonly applicationId: string
    /** Only calls made with this key. */
    readonly keyId?: string | undefined
    readonly operation?: string | undefined
    /** One status (`201`) or a class (`2xx`). */
    readonly status?: string | undefined
    /** An outcome, or `refused`: by the gateway, for any reason. */
    readonly outcome?: string | undefined
    readonly requestId?: string | undefined
    readonly limit: number
    /** The `id` of a record; the list continues with older records. Empty if that record no longer exists. */
    readonly after?: string | undefined
  }): Promise<CallRecord[]>
  /** Calls with that X-Request-ID, at most 100; empty when it is not a UUID. */
  withRequestId(options: {
    readonly applicationId: string
    readonly requestId: string
  }): Promise<CallRecord[]>
  /**
   * Ids of the applications that have a call with that X-Request-ID, the newest
   * call first, at most 100; empty when it is not a UUID.
   */
  applicationsWithRequestId(options: {
    readonly requestId: string
    /** Only applications of this developer. */
    readonly developerId?: string
  }): Promise<string[]>
}

const withSameIdMax = 100

/** Neither let through nor given up by the client before. */
const isRefused = sql<boolean>`r.outcome <> 'aborted'
  and coalesce(r.decision, '') not in ('admitted', 'degraded_admitted', 'observed')`

/** Reads what the gateways have written; works while no gateway runs. */
export function createCallRecords({ db }: { db: Kysely<RegistrySchema> }): CallRecords {
  function select(applicationId: string) {
    return db
      .selectFrom('call_records as r')
      .leftJoin('api_keys as k', 'k.id', 'r.key_id')
      .selectAll('r')
      .select([
        'k.expires_at as key_expires_at',
        'k.revoked_at as key_revoked_at',
        'k.session_id as key_session_id',
      ])
      .where('r.application_id', '=', applicationId)
      .where('r.at', '>', sql<Date>`now() - interval '24 hours'`)
      .orderBy('r.at', 'desc')
      .orderBy('r.id', 'desc')
  }

  return {
    async list(options) {
      const { applicationId, keyId, operation, status, outcome, requestId, limit, after } = options
      let query = select(applicationId).limit(limit)
      if (after !== undefined) {
        query = query.where(sql<boolean>`(r.at, r.id) < (
          select at, id from call_records where application_id = ${applicationId} and id = ${after}
        )`)
      }
      if (requestId !== undefined) query = query.where('r.request_id', '=', requestId)
      if (keyId !== undefined) query = query.where('r.key_id', '=', keyId)
      if (operation !== undefined) query = query.where('r.operation', '=', operation)
      if (outcome === 'refused') query = query.where(isRefused)
      else if (outcome !== undefined) query = query.where('r.outcome', '=', outcome)
      if (status !== undefined) {
        query = query
          .where('r.status', '>=', Number(status.replace('xx', '00')))
          .where('r.status', '<=', Number(status.replace('xx', '99')))
      }
      return (await query.execute()).map(toRecord)
    },

    async withRequestId({ applicationId, requestId }) {
      const id = requestId.toLowerCase()
      if (!isUuid(id)) return []
      const query = select(applicationId).where('r.request_id', '=', id).limit(withSameIdMax)
      return (await query.execute()).map(toRecord)
    },

    async applicationsWithRequestId({ developerId, requestId }) {
      const id = requestId.toLowerCase()
      if (!isUuid(id)) return []
      let query = db
        .selectFrom('call_records as r')
        .innerJoin('applications as a', 'a.id', 'r.application_id')
        .select('a.id')
        .where('r.request_id', '=', id)
        .where('r.at', '>', sql<Date>`now() - interval '24 hours'`)
        .groupBy('a.id')
        .orderBy(({ fn }) => fn.max('r.at'), 'desc')
        .limit(withSameIdMax)
      if (developerId !== undefined) query = query.where('a.developer_id', '=', developerId)
      const found = await query.execute()
      return found.map((application) => application.id)
    },
  }
}

type Row = Selectable<RegistrySchema['call_records']> & {
  readonly key_expires_at: Date | null
  readonly key_revoked_at: Date | null
  readonly key_session_id: string | null
}

function toRecord(row: Row): CallRecord {
  return {
    id: row.id,
    requestId: row.request_id,
    traceId: row.trace_id,
    at: row.at,
    method: row.method,
    api: row.api,
    version: row.version,
    operation: row.operation,
    path: row.path,
    keyId: row.key_id,
    keyExpiresAt: row.key_expires_at,
    keyRevokedAt: row.key_revoked_at,
    isPageKey: row.key_session_id !== null,
    outcome: row.outcome,
    detail: row.detail,
    decision: row.decision,
    status: row.status,
    limit: limitOf(row),
    totalMs: row.total_ms,
    upstreamMs: row.upstream_ms,
    drill: row.drill,
  }
}

function limitOf(row: Row): RecordedLimit | null {
  const { limit_scope: scope, limit_calls: calls, window_seconds: seconds, remaining } = row
  const length = row.calendar_window === null ? seconds : readWindowLength(row.calendar_window)
  if (scope === null || calls === null || remaining === null) return null
  if (length === null || length === undefined) return null
  return { scope, calls, ...shownWindow(length), remaining, resetsAt: row.resets_at }
}
