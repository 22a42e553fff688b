import { registry } from './0001-registry.ts'
import { portal } from './0002-portal.ts'
import { usage } from './0003-usage.ts'
import { strict } from './0004-strict.ts'

/** All migrations of the registry by name. A new one is a new file and a line here; an old one never changes. */
export const registryMigrations = {
  '0001-registry': registry,
  '0002-portal': portal,
  '0003-usage': usage,
  '0004-strict': strict,
} as const
