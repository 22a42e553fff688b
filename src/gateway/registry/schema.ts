import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely'

/** The registry's tables in Kysely's types; the migrations define them. */
export interface RegistrySchema {
  developers: DevelopersTable
  applications: ApplicationsTable
  subscriptions: SubscriptionsTable
  api_keys: ApiKeysTable
  sessions: SessionsTable
  mail_tokens: MailTokensTable
  mails: MailsTable
  deprecation_mails: DeprecationMailsTable
  portal_state: PortalStateTable
  limit_overrides: LimitOverridesTable
  usage_minutes: UsageTable
  usage_hours: UsageTable
  usage_days: UsageTable
  call_records: CallRecordsTable
  changes: ChangesTable
  audit: AuditTable
}

interface DevelopersTable {
  id: Generated<string>
  email: string
  name: string
  is_operator: Generated<boolean>
  created_at: Generated<Date>
  suspended_at: Date | null
  /** Null: created by a command, or not yet set. */
  password_hash: string | null
  /** Consecutive failures since the last success or reset. */
  failed_sign_ins: Generated<number>
  /** Null: waits for an operator's approval. */
  approved_at: Generated<Date | null>
  mails_keys: Generated<boolean>
  mails_limits: Generated<boolean>
  mails_deprecations: Generated<boolean>
}

interface SessionsTable {
  /** SHA-256 of the session's id. */
  id_hash: Buffer
  developer_id: string
  created_at: Generated<Date>
  seen_at: Generated<Date>
  expires_at: Date
}

interface MailTokensTable {
  /** SHA-256 of the token. */
  hash: Buffer
  purpose: 'sign-up' | 'password-reset' | 'email-change'
  developer_id: string | null
  email: string
  name: string | null
  created_at: Generated<Date>
  expires_at: Date
  used_at: Date | null
}

interface MailsTable {
  id: GeneratedAlways<number>
  /** Encrypted, because mails contain links. */
  sealed: Buffer
  attempts: Generated<number>
  due_at: Generated<Date>
  created_at: Generated<Date>
}

interface DeprecationMailsTable {
  developer_id: string
  api: string
  version: string
  milestone: string
  written_at: Generated<Date>
}

interface PortalStateTable {
  name: string
  value: string
  changed_at: Generated<Date>
}

interface LimitOverridesTable {
  id: Generated<string>
  application_id: string
  api: string
  version: string
  limit_name: string
  calls: number
  reason: string
  created_by: string
  created_at: Generated<Date>
  expires_at: Date
  ended_at: Date | null
}

/** Empty `api`, `version` or `operation`: the call was refused before it was known. */
interface UsageTable {
  application_id: string
  /** Start of the minute, hour or day, UTC. */
  at: Date
  api: string
  version: string
  operation: string
  admitted: number
  /** Refused by the gateway, for any reason. */
  refused: number
  /** The part refused because the calls of a window were used up. */
  refused_by_limit: number
  /** Admitted, and answered with 5xx or incompletely. */
  errors: number
  /** Milliseconds, over admitted calls; also the next column. */
  duration_ms_sum: number
  duration_ms_max: number
}

interface CallRecordsTable {
  id: GeneratedAlways<number>
  application_id: string
  /** When the call began. */
  at: Date
  request_id: string
  key_id: string
  method: string
  api: string | null
  version: string | null
  operation: string | null
  outcome: string
  /** The detail of the refusal. */
  detail: string | null
  decision: string | null
  status: number
  /** The limit with the fewest calls left; the next five columns also describe it. */
  limit_name: string | null
  limit_scope: string | null
  limit_calls: number | null
  window_seconds: number | null
  remaining: number | null
  resets_at: Date | null
  total_ms: number
  upstream_ms: number | null
}

interface ApplicationsTable {
  id: Generated<string>
  developer_id: string
  name: string
  created_at: Generated<Date>
  suspended_at: Date | null
  /** Whether its calls must be signed. */
  strict: Generated<boolean>
}

interface SubscriptionsTable {
  id: Generated<string>
  application_id: string
  api: string
  version: string
  plan: string
  created_at: Generated<Date>
  ended_at: Date | null
}

interface ApiKeysTable {
  id: string
  application_id: string
  name: string
  mac: Buffer
  pepper_version: number
  last_four: string
  created_at: Generated<Date>
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
  /** The key that took over this one's place and name. */
  replaced_by: string | null
}

interface ChangesTable {
  id: GeneratedAlways<number>
  /** The writing transaction, as text because only the database compares it. */
  xid: GeneratedAlways<string>
  kind: string
  action: string
  developer_id: string | null
  application_id: string | null
  key_id: string | null
  detail: JSONColumnType<Record<string, string>>
  created_at: GeneratedAlways<Date>
}

interface AuditTable {
  id: GeneratedAlways<number>
  at: GeneratedAlways<Date>
  actor: string
  action: string
  subject: string
  detail: JSONColumnType<Record<string, string>>
}
