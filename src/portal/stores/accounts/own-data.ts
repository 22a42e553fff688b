import { type Kysely, sql } from 'kysely'
import { recordAudit } from '../../../registry/audit/audit.ts'
import type { PortalSchema } from '../schema.ts'

/** A table with data of one developer: what an export takes from it, and why not the rest. */
export interface OwnTable {
  readonly table: keyof PortalSchema
  /** Whose the rows are: the developer's, or that of an application of theirs. */
  readonly of: 'developer' | 'application'
  /** The column that names them. (Default: `developer_id`, `application_id`) */
  readonly owner?: string
  /** By time, the oldest first; with the owner, these columns name one row. */
  readonly orderBy: readonly string[]
  readonly columns: readonly string[]
  /** The other columns, each with the reason why an export leaves it out. */
  readonly withheld?: Readonly<Record<string, string>>
}

const secret = 'a secret'
const ofTheServer = 'a number by which the portal recognises replays'

const usageColumns = [
  'application_id',
  'at',
  'api',
  'version',
  'operation',
  'admitted',
  'refused',
  'refused_by_limit',
  'errors',
  'duration_ms_sum',
  'duration_ms_max',
  'answered_2xx',
  'answered_3xx',
  'answered_4xx',
  'answered_429',
  'answered_5xx',
  'unanswered',
] as const

const planned =
  'what limits would have done that the operator only tries out; all calls are exported'

const usageWithheld = {
  durations: 'the shape of the durations whose sum is exported',
  rehearsed: planned,
  rehearsed_refused: planned,
} as const

/** The parts of an export, by the name that each has in the file. The order is that of the file. */
export const ownTables = {
  account: {
    table: 'developers',
    of: 'developer',
    owner: 'id',
    orderBy: ['created_at'],
    columns: [
      'id',
      'email',
      'name',
      'created_at',
      'approved_at',
      'suspended_at',
      'is_operator',
      'mails_limits',
      'mails_expiry',
      'mails_deprecations',
      'language',
      'oidc_issuer',
      'oidc_subject',
      'failed_sign_ins',
      'failed_codes',
      'failed_since',
    ],
    withheld: { password_hash: secret, mails_keys: 'no longer used' },
  },
  acceptedTerms: {
    table: 'accepted_terms',
    of: 'developer',
    orderBy: ['accepted_at', 'version'],
    columns: ['version', 'accepted_at'],
  },
  operatorRole: {
    table: 'staff',
    of: 'developer',
    orderBy: ['added_at', 'id'],
    columns: ['id', 'email', 'name', 'added_at'],
  },
  sessions: {
    table: 'sessions',
    of: 'developer',
    orderBy: ['created_at', 'id_hash'],
    columns: ['id', 'created_at', 'seen_at', 'expires_at', 'agent', 'factor', 'proved_at'],
    withheld: { id_hash: secret },
  },
  authenticatorApp: {
    table: 'totp_secrets',
    of: 'developer',
    orderBy: ['created_at'],
    columns: ['created_at', 'last_used_at'],
    withheld: { sealed: secret, last_step: ofTheServer },
  },
  passkeys: {
    table: 'passkeys',
    of: 'developer',
    orderBy: ['created_at', 'id'],
    columns: ['id', 'name', 'transports', 'created_at', 'last_used_at'],
    withheld: {
      credential_id: 'a handle of the authenticator, of use only to the portal',
      public_key: 'the key that the portal checks with',
      counter: ofTheServer,
    },
  },
  links: {
    table: 'mail_tokens',
    of: 'developer',
    orderBy: ['created_at', 'hash'],
    columns: ['purpose', 'email', 'name', 'created_at', 'expires_at', 'used_at'],
    withheld: { hash: secret, terms_version: 'no longer used' },
  },
  keyMails: {
    table: 'key_digests',
    of: 'developer',
    orderBy: ['began_at'],
    columns: ['began_at', 'letters', 'changes', 'more'],
  },
  deprecationMails: {
    table: 'deprecation_mails',
    of: 'developer',
    orderBy: ['written_at', 'api', 'version', 'milestone'],
    columns: ['api', 'version', 'milestone', 'written_at'],
  },
  applications: {
    table: 'applications',
    of: 'developer',
    orderBy: ['created_at', 'id'],
    columns: [
      'id',
      'name',
      'created_at',
      'suspended_at',
      'strict',
      'redirect_origins',
      'alert_mails',
      'alert_hooks',
    ],
  },
  subscriptions: {
    table: 'subscriptions',
    of: 'application',
    orderBy: ['created_at', 'id'],
    columns: ['id', 'application_id', 'api', 'version', 'plan', 'created_at', 'ended_at'],
  },
  keys: {
    table: 'api_keys',
    of: 'application',
    orderBy: ['created_at', 'id'],
    columns: [
      'id',
      'application_id',
      'name',
      'last_four',
      'created_at',
      'expires_at',
      'revoked_at',
      'last_used_at',
      'replaced_by',
      'allowed_addresses',
      'may_replace_itself',
    ],
    withheld: { mac: secret, pepper_version: 'the number of a secret' },
  },
  certificates: {
    table: 'certificates',
    of: 'application',
    orderBy: ['created_at', 'id'],
    columns: [
      'id',
      'application_id',
      'use',
      'name',
      'thumbprint',
      'signed_digest',
      'subject',
      'issuer',
      'roles',
      'authorisation_number',
      'valid_from',
      'valid_until',
      'created_at',
      'last_used_at',
    ],
  },
  testCertificatesRevoked: {
    table: 'sandbox_revocations',
    of: 'application',
    orderBy: ['revoked_at', 'serial'],
    columns: ['application_id', 'serial', 'revoked_at', 'valid_until'],
  },
  webhooks: {
    table: 'webhooks',
    of: 'application',
    orderBy: ['created_at'],
    columns: ['application_id', 'url', 'created_at'],
    withheld: { sealed_secret: secret },
  },
  webhookDeliveries: {
    table: 'webhook_deliveries',
    of: 'application',
    orderBy: ['created_at', 'id'],
    columns: [
      'id',
      'application_id',
      'type',
      'body',
      'created_at',
      'attempts',
      'tried_since',
      'tried_at',
      'due_at',
      'delivered_at',
      'response_status',
      'failure',
    ],
  },
  limitAlerts: {
    table: 'limit_alerts',
    of: 'application',
    orderBy: ['at', 'bucket', 'window_number', 'limit_calls', 'threshold'],
    columns: [
      'application_id',
      'at',
      'api',
      'version',
      'operation',
      'limit_calls',
      'threshold',
      'used',
      'resets_at',
    ],
    withheld: {
      bucket: 'the name of the counter',
      window_number: 'the number of the window that ends at resets_at',
      mail_waits: 'whether an email is under way',
    },
  },
  limitAlertMails: {
    table: 'limit_alert_mails',
    of: 'application',
    orderBy: ['written_at'],
    columns: ['application_id', 'written_at'],
  },
  expiryAlerts: {
    table: 'expiry_alerts',
    of: 'application',
    orderBy: ['expires_at', 'subject', 'days'],
    columns: ['application_id', 'subject', 'expires_at', 'days'],
  },
  limitRequests: {
    table: 'limit_requests',
    of: 'application',
    orderBy: ['created_at', 'id'],
    columns: [
      'id',
      'application_id',
      'api',
      'version',
      'limit_name',
      'calls',
      'reason',
      'created_at',
      'state',
      'closed_at',
      'granted_calls',
      'granted_until',
      'answer',
    ],
  },
  limitOverrides: {
    table: 'limit_overrides',
    of: 'application',
    orderBy: ['created_at', 'id'],
    columns: [
      'id',
      'application_id',
      'api',
      'version',
      'limit_name',
      'calls',
      'reason',
      'created_at',
      'expires_at',
      'ended_at',
    ],
    withheld: { created_by: 'names an operator, another person' },
  },
  usageDays: {
    table: 'usage_days',
    of: 'application',
    orderBy: ['at', 'api', 'version', 'operation'],
    columns: usageColumns,
    withheld: usageWithheld,
  },
  usageHours: {
    table: 'usage_hours',
    of: 'application',
    orderBy: ['at', 'api', 'version', 'operation'],
    columns: usageColumns,
    withheld: usageWithheld,
  },
  callRecords: {
    table: 'call_records',
    of: 'application',
    orderBy: ['at', 'id'],
    columns: [
      'application_id',
      'at',
      'request_id',
      'key_id',
      'method',
      'api',
      'version',
      'operation',
      'outcome',
      'detail',
      'decision',
      'status',
      'limit_name',
      'limit_scope',
      'limit_calls',
      'window_seconds',
      'calendar_window',
      'remaining',
      'resets_at',
      'total_ms',
      'upstream_ms',
      'trace_id',
      'drill',
    ],
    withheld: { id: 'the place in the table' },
  },
} as const satisfies Readonly<Record<string, OwnTable>>

/** Tables with a developer or an application that an export leaves out as a whole, each with the reason. */
export const tablesLeftOut: Readonly<Partial<Record<keyof PortalSchema, string>>> = {
  recovery_codes: 'hashes of secrets; the export says how many are left',
  factor_challenges: 'a sign-in under way: secrets that live for minutes',
  deleted_applications:
    'only the id of a deleted application, until the bank has confirmed the end',
  changes: 'what tells running processes of a change; the audit has the same facts',
  usage_minutes: 'the same calls as the hours, for 48 hours only',
}

/** A row as the file holds it: names in camelCase, times in ISO 8601. */
export type OwnRow = Readonly<Record<string, unknown>>

/** A piece of an export: rows of one part. A part without rows has one piece without rows. */
export interface OwnPart {
  readonly name: string
  readonly rows: readonly OwnRow[]
}

/** Everything that the registry knows about a developer. */
export interface OwnData {
  /** Writes to the audit that the developer exported the data. */
  noteExport(developerId: string): Promise<void>
  /**
   * Reads it by pages of 1,000 rows, each with a statement of its own, so that
   * it is never in memory as a whole and other readers come in between. Rows
   * that are written meanwhile may be missing.
   */
  read(developerId: string): AsyncGenerator<OwnPart>
}

export function createOwnData({ db }: { readonly db: Kysely<PortalSchema> }): OwnData {
  async function* rowsOf(part: OwnTable, ownerId: string): AsyncGenerator<OwnRow[]> {
    const { table, of, owner = `${of}_id`, columns, orderBy } = part
    const order = sql.join(orderBy.map((column) => sql.ref(column)))
    // As text: a JavaScript date has no microseconds, and would meet rows twice.
    const place = sql.join(orderBy.map((column) => sql`${sql.ref(column)}::text`))
    const read = (after: readonly string[] | undefined) =>
      sql<{ readonly place: string[] }>`
        select ${sql.join(columns.map((column) => sql.ref(column)))}, array[${place}] as place
        from ${sql.table(table)} where ${sql.ref(owner)} = ${ownerId}
        ${after === undefined ? sql`` : sql`and (${order}) > (${sql.join(after)})`}
        order by ${order} limit ${pageLength}`.execute(db)
    yield* pages(
      read,
      ({ place }) => place,
      ({ place: _, ...row }) => row,
    )
  }

  async function applicationsOf(developerId: string): Promise<string[]> {
    const found = await db
      .selectFrom('applications')
      .select('id')
      .where('developer_id', '=', developerId)
      .orderBy('created_at')
      .execute()
    return found.map(({ id }) => id)
  }

  return {
    async noteExport(developerId) {
      const actor = `developer:${developerId}`
      await db
        .transaction()
        .execute((trx) =>
          recordAudit(trx, { actor, action: 'developer.export-data', subject: actor }),
        )
    },

    async *read(developerId) {
      const applications = await applicationsOf(developerId)
      for (const [name, part] of Object.entries(ownTables)) {
        const owners = part.of === 'developer' ? [developerId] : applications
        if (owners.length === 0) yield { name, rows: [] }
        for (const owner of owners) {
          for await (const rows of rowsOf(part, owner)) yield { name, rows }
        }
      }
      const codes = await db
        .selectFrom('recovery_codes')
        .select(({ fn }) => fn.countAll<number>().as('left'))
        .where('developer_id', '=', developerId)
        .execute()
      yield { name: 'recoveryCodes', rows: codes.map(({ left }) => ({ left: Number(left) })) }
      const parties = await partiesOf(db, developerId)
      for await (const rows of auditOf(db, parties)) yield { name: 'audit', rows }
      for await (const rows of eventsOf(db, parties)) yield { name: 'securityEvents', rows }
    },
  }
}

/** The names under which audit and security events know a developer and what is theirs. */
interface Parties {
  /** `developer:<id>`, and `staff:<id>` of an operator. */
  readonly self: readonly string[]
  /** With those of applications, keys, subscriptions, certificates and overrides. */
  readonly all: readonly string[]
}

async function partiesOf(db: Kysely<PortalSchema>, developerId: string): Promise<Parties> {
  const { rows } = await sql<{ name: string; isSelf: boolean }>`
    with own as (select id from applications where developer_id = ${developerId})
    select 'developer:' || ${developerId}::text as name, true as "isSelf"
    union all select 'staff:' || id, true from staff where developer_id = ${developerId}
    union all select 'application:' || id, false from own
    union all select 'key:' || id, false from api_keys where application_id in (select id from own)
    union all select 'subscription:' || id, false from subscriptions where application_id in (select id from own)
    union all select 'certificate:' || id, false from certificates where application_id in (select id from own)
    union all select 'override:' || id, false from limit_overrides where application_id in (select id from own)
    `.execute(db)
  return {
    self: rows.filter(({ isSelf }) => isSelf).map(({ name }) => name),
    all: rows.map(({ name }) => name),
  }
}

/** Of other people's entries only what happened: who they are and where they were is theirs. */
function auditOf(db: Kysely<PortalSchema>, { self, all }: Parties): AsyncGenerator<OwnRow[]> {
  return pagesById((after) =>
    sql<WithId>`
    select audit.id, audit.at, case when is_own or actor = 'system' then actor else 'operator' end as actor, action, subject, detail,
      case when is_own then request_id end as request_id,
      case when is_own then facts ->> 'address' end as address,
      case when is_own then facts ->> 'agent' end as agent
    from (select *, actor = any(${self}) as is_own from audit
      where (actor = any(${self}) or subject = any(${all})) and id > ${after}
      order by id limit ${pageLength}) audit
    left join audit_personal on audit_personal.entry_id = audit.id
    order by audit.id`.execute(db),
  )
}

function eventsOf(db: Kysely<PortalSchema>, { self, all }: Parties): AsyncGenerator<OwnRow[]> {
  return pagesById((after) =>
    sql<WithId>`
    select id, at, event, reason,
      case when actor is null or actor = 'system' or actor = any(${all}) then actor else 'operator' end as actor,
      subject, key_id,
      case when actor is null or actor = any(${all}) then address end as address,
      case when actor is null or actor = any(${all}) then agent end as agent,
      request_id, detail
    from security_events
    where (actor = any(${all}) or subject = any(${all}) or actor = any(${self})) and id > ${after}
    order by id limit ${pageLength}`.execute(db),
  )
}

const pageLength = 1_000

interface WithId {
  readonly id: string
}

/** Without the ids, which are places in the table. */
function pagesById(
  read: (after: string) => Promise<{ readonly rows: WithId[] }>,
): AsyncGenerator<OwnRow[]> {
  return pages(
    (after: string | undefined) => read(after ?? '0'),
    ({ id }) => id,
    ({ id: _, ...row }) => row,
  )
}

/**
 * Page after page, each of what follows the last row of the one before.
 * Nothing has one page without rows.
 */
async function* pages<Row, Place>(
  read: (after: Place | undefined) => Promise<{ readonly rows: readonly Row[] }>,
  placeOf: (row: Row) => Place,
  shown: (row: Row) => Readonly<Record<string, unknown>>,
): AsyncGenerator<OwnRow[]> {
  let after: Place | undefined
  for (;;) {
    const { rows } = await read(after)
    yield rows.map((row) => inCamelCase(shown(row)))
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageLength) return
    after = placeOf(last)
  }
}

function inCamelCase(row: Readonly<Record<string, unknown>>): OwnRow {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
}
