import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely'
import type { ConfigurationSummary } from '../catalogue/configuration-summary.ts'
import type { Language } from '../messages/language.ts'
import type { CountSample } from '../platform/count-sample.ts'
import type { NamedCall, UnansweredCall } from './availability/outage-rule.ts'

/** The registry's tables in Kysely's types. The migrations define these and the portal's own (`portal/stores/schema.ts`). */
export interface RegistrySchema {
  developers: DevelopersTable
  applications: ApplicationsTable
  deleted_applications: DeletedApplicationsTable
  subscriptions: SubscriptionsTable
  api_keys: ApiKeysTable
  certificates: CertificatesTable
  blocked_certificates: BlockedCertificatesTable
  portal_state: PortalStateTable
  limit_overrides: LimitOverridesTable
  usage_minutes: UsageTable
  usage_hours: UsageTable
  usage_days: UsageTable
  call_records: CallRecordsTable
  availability_minutes: AvailabilityFiguresTable
  availability_hours: AvailabilityFiguresTable
  availability_slices: AvailabilitySlicesTable
  availability_outages: AvailabilityOutagesTable
  availability_outage_seconds: AvailabilityOutageSecondsTable
  availability_rule: AvailabilityRuleTable
  maintenance_windows: MaintenanceWindowsTable
  changes: ChangesTable
  audit: AuditTable
  audit_personal: AuditPersonalTable
  audit_waiting: AuditWaitingTable
  audit_links: AuditLinksTable
  audit_checkpoints: AuditCheckpointsTable
  staff: StaffTable
  security_events: SecurityEventsTable
  published_configurations: PublishedConfigurationsTable
  processes: ProcessesTable
  count_samples: CountSamplesTable
  configurations: ConfigurationsTable
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
  /** Consecutive wrong passwords from browsers that the developer has not used before; 0 after a success or reset. */
  failed_sign_ins: Generated<number>
  /** Consecutive wrong codes of the second factor since the last correct one. */
  failed_codes: Generated<number>
  /** Time of the first of `failed_sign_ins`. */
  failed_since: Date | null
  /** Null: waits for an operator's approval. */
  approved_at: Generated<Date | null>
  mails_limits: Generated<boolean>
  mails_deprecations: Generated<boolean>
  mails_expiry: Generated<boolean>
  /** Language of mails; null: not known yet. */
  language: Language | null
  /** `iss` and `sub` of a person who signs in through the OpenID Connect provider; with these, `password_hash` is null. */
  oidc_issuer: string | null
  oidc_subject: string | null
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

/** Configurations that gateways have published, without the brand. */
interface PublishedConfigurationsTable {
  /** SHA-256 of `content` before its compression, in hex. */
  digest: string
  /** Catalogue as JSON, compressed by gzip. */
  content: Buffer
  published_at: Generated<Date>
  /** When a process that uses it last reported; updated every minute. */
  seen_at: Generated<Date>
}

/** `api`, `version` or `operation` is empty if the call was refused before that was known. */
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
  /** The part of `refused` that exceeded a limit. */
  refused_by_limit: number
  /** Admitted calls with a 5xx or incomplete response. */
  errors: number
  /** Admitted calls that the backend answered with 4xx. */
  client_errors: Generated<number>
  /** Milliseconds of admitted calls: their sum, and the longest. */
  duration_ms_sum: number
  duration_ms_max: number
  /** Admitted calls by bucket of `duration-buckets.ts`; empty without any. */
  durations: Generated<readonly number[]>
  /** Admitted and refused calls by the status of their answer. */
  answered_2xx: Generated<number>
  answered_3xx: Generated<number>
  /** Without 429. */
  answered_4xx: Generated<number>
  answered_429: Generated<number>
  answered_5xx: Generated<number>
  /** The connection ended before the response. */
  unanswered: Generated<number>
  /** Calls counted under limits that are only rehearsed, and the part that these would have refused. */
  rehearsed: Generated<number>
  rehearsed_refused: Generated<number>
}

interface CallRecordsTable {
  id: GeneratedAlways<number>
  application_id: string
  /** When the call began. */
  at: Date
  request_id: string
  /** 32 hexadecimal digits. */
  trace_id: string
  key_id: string
  method: string
  api: string | null
  version: string | null
  operation: string | null
  /** As published; null if the operation tells it, if no version has it, or if 0.2.0 wrote the record. */
  path: string | null
  outcome: string
  /** The detail of the refusal. */
  detail: string | null
  decision: string | null
  status: number
  /** The limit with the fewest calls left; the next six columns also describe it. */
  limit_name: string | null
  limit_scope: string | null
  limit_calls: number | null
  /** Length of the window in which the call counted. */
  window_seconds: number | null
  /** The length of its windows as text; null: clock windows. */
  calendar_window: string | null
  remaining: number | null
  resets_at: Date | null
  total_ms: number
  upstream_ms: number | null
  /** The requested drill, or `refused`; null: not a drill. */
  drill: string | null
}

interface ApplicationsTable {
  id: Generated<string>
  developer_id: string
  name: string
  created_at: Generated<Date>
  suspended_at: Date | null
  /** Whether its calls must be signed. */
  strict: Generated<boolean>
  /** `https://app.example`; empty: any, unless the application is strict. */
  redirect_origins: Generated<string[]>
  /** Alerts to send by email, unless the developer has opted out of such emails. */
  alert_mails: Generated<AlertKind[]>
  /** Alerts to send to the webhook, if one is set. */
  alert_hooks: Generated<AlertKind[]>
}

/** Subject of an alert about an application. */
export type AlertKind = 'limits' | 'expiry' | 'deprecations'

interface DeletedApplicationsTable {
  application_id: string
  deleted_at: Generated<Date>
  /** Attempts since the bank last answered. */
  attempts: Generated<number>
  due_at: Generated<Date>
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
  /** Addresses or CIDRs; empty: any. */
  allowed_addresses: Generated<string[]>
  /** Whether the key alone is enough to rotate it. */
  may_replace_itself: Generated<boolean>
  /** The session of the portal that it is for; null: a key of a developer's program. */
  session_id: string | null
}

interface CertificatesTable {
  id: Generated<string>
  application_id: string
  use: 'tls' | 'signing'
  name: string
  /** SHA-256 of the DER, base64url. */
  thumbprint: string
  /** SHA-256 of what its authority signed, base64url. */
  signed_digest: string
  subject: string
  issuer: string
  roles: JSONColumnType<readonly string[]>
  authorisation_number: string | null
  valid_from: Date
  valid_until: Date
  created_at: Generated<Date>
  last_used_at: Date | null
}

interface BlockedCertificatesTable {
  thumbprint: string
  signed_digest: string
  reason: string
  blocked_at: Generated<Date>
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
  detail: JSONColumnType<object>
  created_at: GeneratedAlways<Date>
}

interface AuditTable {
  id: GeneratedAlways<number>
  at: GeneratedAlways<Date>
  actor: string
  action: string
  subject: string
  detail: JSONColumnType<Record<string, string>>
  request_id: string | null
  /** SHA-256 over the salted personal facts; null without any. */
  personal_digest: Buffer | null
}

/** What may be erased without breaking the chain. */
interface AuditPersonalTable {
  entry_id: number
  at: Generated<Date>
  salt: Buffer
  facts: JSONColumnType<Record<string, string>>
}

/** Entries without a link. */
interface AuditWaitingTable {
  entry_id: number
}

interface AuditLinksTable {
  /** From 1, without gaps. */
  position: number
  entry_id: number
  hash: Buffer
  /** Ed25519, of the last link of a batch. */
  signature: Buffer | null
  /** Id of the key that made it. */
  signer: string | null
}

/** Where retention removed the chain up to `position`. */
interface AuditCheckpointsTable {
  position: number
  hash: Buffer
  entries: number
  newest_at: Date
  made_at: Generated<Date>
  signature: Buffer
  signer: string
}

interface StaffTable {
  id: string
  developer_id: string
  email: string
  name: string
  added_at: Generated<Date>
}

interface CountSamplesTable {
  /** Null: the process reported it when it ended. */
  proof: string | null
  process: string
  at: Generated<Date>
  host: string
  pid: number
  share: number
  samples: JSONColumnType<readonly CountSample[]>
}

interface ProcessesTable {
  id: string
  /** Joined by `+`. */
  roles: string
  host: string
  pid: number
  version: string
  started_at: Generated<Date>
  seen_at: Generated<Date>
  generation: number
  /** Digest of the configuration that it serves. */
  digest: string
  loaded_at: Generated<Date>
  /** Number of reloads that have ended, successful or not. */
  judged: number
  /** Why the last reload failed; null: it did not fail. */
  refused: string | null
  /** Number of reloads that commands have requested. */
  reloads_asked: Generated<number>
  /** Actor of the last of these commands. */
  asked_by: string | null
  /** How it counts calls; null: it admits no calls. */
  counts: Generated<'alone' | 'shared' | null>
}

interface ConfigurationsTable {
  id: GeneratedAlways<number>
  at: GeneratedAlways<Date>
  digest: string
  /** Versions, plans and limits, to show what a later configuration changes. */
  summary: JSONColumnType<ConfigurationSummary>
}

interface SecurityEventsTable {
  id: GeneratedAlways<number>
  at: Date
  event: string
  reason: string | null
  actor: string | null
  subject: string | null
  key_id: string | null
  address: string | null
  agent: string | null
  request_id: string | null
  detail: JSONColumnType<Record<string, string>>
}

interface AvailabilityFiguresTable {
  /** Start of the minute or hour, UTC. */
  at: Date
  api: string
  version: string
  /** `availability/psd2-service.ts`. */
  service: string
  requests: number
  errors: number
  answers: number
  first_byte_ms_sum: number
  last_byte_ms_sum: number
}

interface AvailabilitySlicesTable {
  second: number
  api: string
  version: string
  /** Id of a process, created at its startup. */
  gateway: string
  /** 0: the successes; others: unanswered calls. */
  part: number
  /** `availability/slice.ts`. */
  unanswered: string | null
  answered: string | null
}

interface AvailabilityOutagesTable {
  id: Generated<string>
  api: string
  version: string
  from_at: Date
  until_at: Date | null
  answered_call_at: Date | null
  series: JSONColumnType<readonly NamedCall[]>
  last_call: JSONColumnType<NamedCall>
  calls: number
  applications: JSONColumnType<Record<string, Record<string, number>>>
}

interface AvailabilityOutageSecondsTable {
  outage_id: string
  second: number
  calls: number
  first_id: string
}

interface AvailabilityRuleTable {
  api: string
  version: string
  pending: JSONColumnType<readonly UnansweredCall[]>
  open_outage_id: string | null
}

interface MaintenanceWindowsTable {
  id: Generated<string>
  /** Empty: every API. */
  api: string
  /** Empty: every version. */
  version: string
  from_at: Date
  until_at: Date
  reason: string
  announced_at: Date
  announced_by: string
  withdrawn_at: Date | null
}
