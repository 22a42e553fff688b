import type { Generated, GeneratedAlways, JSONColumnType, Transaction } from 'kysely'
import type { RegistrySchema } from '../../registry/schema.ts'

/**
 * The registry's tables and the portal's own, which only the portal and
 * commands read. The registry's migrations define both.
 */
export interface PortalSchema extends RegistrySchema {
  sandbox_authority: SandboxAuthorityTable
  sandbox_revocations: SandboxRevocationsTable
  sessions: SessionsTable
  totp_secrets: TotpSecretsTable
  passkeys: PasskeysTable
  recovery_codes: RecoveryCodesTable
  factor_challenges: FactorChallengesTable
  mail_tokens: MailTokensTable
  accepted_terms: AcceptedTermsTable
  mails: MailsTable
  deprecation_mails: DeprecationMailsTable
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
  limit_alerts: LimitAlertsTable
  limit_alert_mails: LimitAlertMailsTable
  expiry_alerts: ExpiryAlertsTable
  limit_requests: LimitRequestsTable
  key_digests: KeyDigestsTable
}

export type PortalTransaction = Transaction<PortalSchema>

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
  application_id: string
  /** When the certificate expires and no longer needs to be listed. */
  valid_until: Date
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
  /** The second factor that was checked, or `oidc`; null: only the password. */
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
  /** Number of signatures as counted by the authenticator; 0 if it does not. */
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
  /** For a sign-in: the hash of the correct password. */
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
  /** The JSON to send. */
  body: string
  created_at: Generated<Date>
  attempts: Generated<number>
  /** When the present tries began: a day later they end. */
  tried_since: Generated<Date>
  tried_at: Date | null
  /** Null: nothing more to try. */
  due_at: Generated<Date | null>
  delivered_at: Date | null
  /** Status of the last attempt; null: no answer. */
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

interface LimitRequestsTable {
  id: Generated<string>
  application_id: string
  api: string
  version: string
  limit_name: string
  /** Wanted. */
  calls: number
  /** Null: the developer did not say. */
  wanted_until: Date | null
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
