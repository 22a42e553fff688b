import type { PortalSchema } from '../schema.ts'

/** A part of the export of a developer's data. Columns are separated by spaces. */
export interface OwnTable {
  readonly table: keyof PortalSchema
  /** The column with the id of the developer or the application. */
  readonly owner: 'id' | 'developer_id' | 'application_id'
  /** Orders the rows, the oldest first. Together with the owner, these columns identify one row. */
  readonly orderBy: string
  /** What the file shows. It contains neither secrets nor their hashes. */
  readonly columns: string
}

const usage =
  'application_id at api version operation admitted refused refused_by_limit errors client_errors duration_ms_sum duration_ms_max answered_2xx answered_3xx answered_4xx answered_429 answered_5xx unanswered'

const ofDeveloper: Readonly<Record<string, Omit<OwnTable, 'owner'>>> = {
  acceptedTerms: {
    table: 'accepted_terms',
    orderBy: 'accepted_at version',
    columns: 'version accepted_at',
  },
  operatorRole: {
    table: 'staff',
    orderBy: 'added_at id',
    columns: 'id email name added_at',
  },
  sessions: {
    table: 'sessions',
    orderBy: 'created_at id_hash',
    columns: 'created_at seen_at expires_at id agent factor proved_at',
  },
  authenticatorApp: {
    table: 'totp_secrets',
    orderBy: 'created_at',
    columns: 'created_at last_used_at',
  },
  passkeys: {
    table: 'passkeys',
    orderBy: 'created_at id',
    columns: 'id transports name created_at last_used_at',
  },
  links: {
    table: 'mail_tokens',
    orderBy: 'created_at hash',
    columns: 'purpose email name created_at expires_at used_at',
  },
  keyMails: {
    table: 'key_digests',
    orderBy: 'began_at',
    columns: 'began_at letters changes more',
  },
  deprecationMails: {
    table: 'deprecation_mails',
    orderBy: 'written_at api version milestone',
    columns: 'api version milestone written_at',
  },
  applications: {
    table: 'applications',
    orderBy: 'created_at id',
    columns: 'id name created_at suspended_at strict redirect_origins alert_mails alert_hooks',
  },
}

const ofApplication: typeof ofDeveloper = {
  subscriptions: {
    table: 'subscriptions',
    orderBy: 'created_at id',
    columns: 'id application_id api version plan created_at ended_at',
  },
  keys: {
    table: 'api_keys',
    orderBy: 'created_at id',
    columns:
      'id application_id name last_four created_at expires_at revoked_at last_used_at replaced_by allowed_addresses may_replace_itself',
  },
  certificates: {
    table: 'certificates',
    orderBy: 'created_at id',
    columns:
      'id application_id use name thumbprint subject issuer roles authorisation_number valid_from valid_until created_at last_used_at signed_digest',
  },
  testCertificatesRevoked: {
    table: 'sandbox_revocations',
    orderBy: 'revoked_at serial',
    columns: 'serial revoked_at valid_until application_id',
  },
  webhooks: {
    table: 'webhooks',
    orderBy: 'created_at',
    columns: 'application_id url created_at',
  },
  webhookDeliveries: {
    table: 'webhook_deliveries',
    orderBy: 'created_at id',
    columns:
      'id application_id type body created_at attempts tried_since tried_at due_at delivered_at response_status failure',
  },
  limitAlerts: {
    table: 'limit_alerts',
    orderBy: 'at bucket window_number limit_calls threshold',
    columns: 'application_id limit_calls threshold api version operation used resets_at at',
  },
  limitAlertMails: {
    table: 'limit_alert_mails',
    orderBy: 'written_at',
    columns: 'application_id written_at',
  },
  expiryAlerts: {
    table: 'expiry_alerts',
    orderBy: 'expires_at subject days',
    columns: 'application_id subject expires_at days',
  },
  limitRequests: {
    table: 'limit_requests',
    orderBy: 'created_at id',
    columns:
      'id application_id api version limit_name calls wanted_until reason created_at state closed_at granted_calls granted_until answer',
  },
  limitOverrides: {
    table: 'limit_overrides',
    orderBy: 'created_at id',
    columns: 'id application_id api version limit_name calls reason created_at expires_at ended_at',
  },
  usageDays: {
    table: 'usage_days',
    orderBy: 'at api version operation',
    columns: usage,
  },
  usageHours: {
    table: 'usage_hours',
    orderBy: 'at api version operation',
    columns: usage,
  },
  callRecords: {
    table: 'call_records',
    orderBy: 'at id',
    columns:
      'application_id at request_id key_id method api version operation path outcome detail decision status limit_name limit_scope limit_calls window_seconds remaining resets_at total_ms upstream_ms calendar_window trace_id drill',
  },
}

/**
 * The parts of an export by their names in the file, in the order of the file.
 * Columns are listed here and not read from the database: a column that a newer
 * release has added may hold a secret.
 */
export const ownTables: Readonly<Record<string, OwnTable>> = {
  account: {
    table: 'developers',
    owner: 'id',
    orderBy: 'created_at',
    columns:
      'id email name is_operator created_at suspended_at failed_sign_ins approved_at mails_limits mails_deprecations failed_codes failed_since oidc_issuer oidc_subject language mails_expiry',
  },
  ...ownedBy('developer_id', ofDeveloper),
  ...ownedBy('application_id', ofApplication),
}

function ownedBy(owner: OwnTable['owner'], tables: typeof ofDeveloper): Record<string, OwnTable> {
  return Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [name, { ...table, owner }]),
  )
}
