import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely'
import type { ConfigurationSummary } from '../catalogue/configuration-summary.ts'
import type { Language } from '../messages/language.ts'
import type { CountSample } from '../platform/count-sample.ts'
import type { NamedCall, UnansweredCall } from './availability/outage-rule.ts'

/** The registry's tables in Kysely's types; the migrations define them. */
export interface RegistrySchema {
  developers: DevelopersTable
  applications: ApplicationsTable
  deleted_applications: DeletedApplicationsTable
  subscriptions: SubscriptionsTable
  api_keys: ApiKeysTable
  certificates: CertificatesTable
  blocked_certificates: BlockedCertificatesTable
  sandbox_authority: SandboxAuthorityTable
  sandbox_revocations: SandboxRevocationsTable
  key_digests: KeyDigestsTable
  sessions: SessionsTable
  totp_secrets: TotpSecretsTable
  passkeys: PasskeysTable
  recovery_codes: RecoveryCodesTable
  factor_challenges: FactorChallengesTable
  mail_tokens: MailTokensTable
  accepted_terms: AcceptedTermsTable
  mails: MailsTable
  deprecation_mails: DeprecationMailsTable
  portal_state: PortalStateTable
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
  limit_alerts: LimitAlertsTable
  limit_alert_mails: LimitAlertMailsTable
  expiry_alerts: ExpiryAlertsTable
  limit_overrides: LimitOverridesTable
  limit_requests: LimitRequestsTable
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
  /** Consecutive failures of strangers since the last success or reset. */
  failed_sign_ins: Generated<number>
  /** Consecutive wrong codes of the second factor since the last right one. */
  failed_codes: Generated<number>
  /** The first of these failures. */
  failed_since: Date | null
  /** Null: waits for an operator's approval. */
  approved_at: Generated<Date | null>
  /** No longer used: mails about keys cannot be switched off. */
  mails_keys: Generated<boolean>
  mails_limits: Generated<boolean>
  mails_deprecations: Generated<boolean>
  mails_expiry: Generated<boolean>
  /** Of mails; null: not known yet. */
  language: Language | null
  /** `iss` and `sub` of a person who signs in through the OpenID Connect provider; with these, `password_hash` is null. */
  oidc_issuer: string | null
  oidc_subject: string | null
}

interface SessionsTable {
  /** SHA-256 of the session's id. */
  id_hash: Buffer
  /** Names the session in the developer's list; opens nothing. */
  id: Generated<string>
  developer_id: string
  created_at: Generated<Date>
  seen_at: Generated<Date>
  expires_at: Date
  /** The browser's User-Agent at the beginning. */
  agent: Generated<string>
  /** What was checked besides the password, or `oidc` in its place; null: nothing. */
  factor: 'totp' | 'passkey' | 'recovery-code' | 'oidc' | null
  /** When the developer last proved who they are. */
  proved_at: Generated<Date>
}

interface TotpSecretsTable {
  developer_id: string
  sealed: Buffer
  /** The time step of the last code that was used: no code works twice. */
  last_step: number
  created_at: Generated<Date>
  last_used_at: Date | null
}

interface PasskeysTable {
  id: Generated<string>
  developer_id: string
  /** base64url */
  credential_id: string
  /** COSE_Key */
  public_key: Buffer
  /** Of signatures, as the authenticator counts them; 0 where it does not. */
  counter: number
  /** Names of WebAuthn, separated by spaces. */
  transports: string
  name: string
  created_at: Generated<Date>
  last_used_at: Date | null
}

interface RecoveryCodesTable {
  /** SHA-256 of the code. */
  hash: Buffer
  developer_id: string
}

interface FactorChallengesTable {
  /** SHA-256 of the token. */
  hash: Buffer
  developer_id: string
  purpose: 'sign-in' | 'step-up' | 'totp' | 'passkey' | 'enrolment'
  /** What a passkey has to sign; base64url. */
  nonce: string
  /** A TOTP secret that is not confirmed yet. */
  sealed_secret: Buffer | null
  /** Of a sign-in: the hash of the password that was right. */
  password_hash: string | null
  tries: Generated<number>
  created_at: Generated<Date>
  expires_at: Date
}

interface MailTokensTable {
  /** SHA-256 of the token. */
  hash: Buffer
  purpose: 'sign-up' | 'password-reset' | 'email-change' | 'enrolment'
  developer_id: string | null
  email: string
  name: string | null
  /** Of a sign-up: the terms that were accepted with it. */
  terms_version: Generated<string | null>
  created_at: Generated<Date>
  expires_at: Date
  used_at: Date | null
}

/** Every version that a developer accepted. */
interface AcceptedTermsTable {
  developer_id: string
  version: string
  accepted_at: Generated<Date>
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

interface LimitRequestsTable {
  id: Generated<string>
  application_id: string
  api: string
  version: string
  limit_name: string
  /** Wanted. */
  calls: number
  /** The developer's words. */
  reason: string
  created_at: Generated<Date>
  state: Generated<'open' | 'granted' | 'declined' | 'withdrawn'>
  /** Null while it is open. */
  closed_at: Date | null
  granted_calls: number | null
  granted_until: Date | null
  /** The operator's words to the developer. */
  answer: string | null
}

/** What gateways have published of `config/`, without the brand. */
interface PublishedConfigurationsTable {
  /** SHA-256 of `content` before its compression, in hex. */
  digest: string
  /** Catalogue as JSON, compressed by gzip. */
  content: Buffer
  published_at: Generated<Date>
  /** When a process with it last ran; renewed each minute. */
  seen_at: Generated<Date>
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
  /** Admitted calls by bucket of `duration-buckets.ts`; empty in rows of older versions. */
  durations: Generated<readonly number[]>
  /** Admitted and refused calls by the status of their answer; 0 in rows of older versions. */
  answered_2xx: Generated<number>
  answered_3xx: Generated<number>
  /** Without 429. */
  answered_4xx: Generated<number>
  answered_429: Generated<number>
  answered_5xx: Generated<number>
  /** The connection ended first. */
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
  /** Null: recorded by an earlier release. */
  trace_id: string | null
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
  /** The limit with the fewest calls left; the next six columns also describe it. */
  limit_name: string | null
  limit_scope: string | null
  limit_calls: number | null
  /** Of the window in which the call counted. */
  window_seconds: number | null
  /** The length of its windows as text; null: clock windows. */
  calendar_window: string | null
  remaining: number | null
  resets_at: Date | null
  total_ms: number
  upstream_ms: number | null
  /** The answer that the call asked for as a drill, or `refused`; null: a call. */
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
  /** Alerts by email, if the developer wants such emails at all. */
  alert_mails: Generated<AlertKind[]>
  /** Alerts by webhook, if there is one. */
  alert_hooks: Generated<AlertKind[]>
}

/** What an application is warned of. */
export type AlertKind = 'limits' | 'expiry' | 'deprecations'

interface WebhooksTable {
  application_id: string
  url: string
  /** Encrypted. */
  sealed_secret: Buffer
  created_at: Generated<Date>
}

interface WebhookDeliveriesTable {
  id: Generated<string>
  application_id: string
  type: string
  /** JSON, as it is sent. */
  body: string
  created_at: Generated<Date>
  attempts: Generated<number>
  /** When the present tries began: a day later they end. */
  tried_since: Generated<Date>
  tried_at: Date | null
  /** Null: nothing more to try. */
  due_at: Generated<Date | null>
  delivered_at: Date | null
  /** Of the last attempt; null: no answer. */
  response_status: number | null
  /** Why the last attempt failed. */
  failure: string | null
}

interface LimitAlertsTable {
  application_id: string
  bucket: string
  window_number: number
  limit_calls: number
  threshold: number
  api: string
  version: string
  /** Null: the limit is of all operations together. */
  operation: string | null
  used: number
  resets_at: Date
  /** Whether an email will report it. */
  mail_waits: boolean
  at: Generated<Date>
}

interface LimitAlertMailsTable {
  application_id: string
  written_at: Date
}

interface ExpiryAlertsTable {
  application_id: string
  /** `key:<id>` or `certificate:<id>`. */
  subject: string
  expires_at: Date
  days: number
}

interface DeletedApplicationsTable {
  application_id: string
  deleted_at: Generated<Date>
  /** Since the bank last answered. */
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
}

interface KeyDigestsTable {
  developer_id: string
  /** Start of the hour; all but the first letters wait until its end. */
  began_at: Generated<Date>
  letters: Generated<number>
  /** Facts of the changes that wait. */
  changes: JSONColumnType<readonly object[]>
  /** Changes that had no room among them. */
  more: Generated<number>
}

interface CertificatesTable {
  id: Generated<string>
  application_id: string
  use: 'tls' | 'signing'
  name: string
  /** SHA-256 of the DER, base64url. */
  thumbprint: string
  /** SHA-256 of what its authority signed, base64url; null: added by a version that did not store it. */
  signed_digest: string | null
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
  signed_digest: string | null
  reason: string
  blocked_at: Generated<Date>
}

interface SandboxAuthorityTable {
  is_only: Generated<boolean>
  /** DER, as is the list. */
  certificate: Buffer
  /** PKCS #8, encrypted. */
  sealed_key: Buffer
  revocation_list: Buffer
  list_number: number
  list_until: Date
  created_at: Generated<Date>
}

interface SandboxRevocationsTable {
  /** Hexadecimal. */
  serial: string
  revoked_at: Generated<Date>
  /** Null: revoked by a version that did not store it. */
  application_id: string | null
  /** When the certificate expires, and need not be listed any more. */
  valid_until: Date
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
  /** Null: the process told it when it ended. */
  proof: string | null
  process: string
  at: Generated<Date>
  host: string
  pid: number
  /** Process id of the process that claimed to count. */
  parent: number
  workers: number
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
  /** Of the configuration that it serves. */
  digest: string
  loaded_at: Generated<Date>
  /** Reloads that have ended, well or not. */
  judged: number
  /** Why the last reload changed nothing; null: it did not fail. */
  refused: string | null
  /** How often a command asked it to reload. */
  reloads_asked: Generated<number>
  /** Actor of the last of these commands. */
  asked_by: string | null
  /** How it counts calls; null: it admits none, or is of an earlier release. */
  counts: Generated<'alone' | 'shared' | null>
}

interface ConfigurationsTable {
  id: GeneratedAlways<number>
  at: GeneratedAlways<Date>
  digest: string
  /** Versions, plans and limits, to tell what a later configuration changes. */
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
  /** `availability/service.ts`. */
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
  /** Of a process, made at its start. */
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
