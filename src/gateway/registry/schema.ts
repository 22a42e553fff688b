import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely'

/** The registry's tables as Kysely sees them; the migrations are their definition. */
export interface RegistrySchema {
  developers: DevelopersTable
  applications: ApplicationsTable
  subscriptions: SubscriptionsTable
  api_keys: ApiKeysTable
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
}

interface ApplicationsTable {
  id: Generated<string>
  developer_id: string
  name: string
  created_at: Generated<Date>
  suspended_at: Date | null
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
  /** The key that took this one's place and name. */
  replaced_by: string | null
}

interface ChangesTable {
  id: GeneratedAlways<number>
  /** The writing transaction, as text: it is compared by the database only. */
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
