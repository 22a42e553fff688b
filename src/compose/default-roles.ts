import { isOfBank } from '../backend/bank-operations.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { hasOwnBackend } from '../platform/settings/sandbox.ts'
import { type Role, roles, type Settings } from '../platform/settings/settings.ts'

/** The roles of a start that names none: all, but the bank only if it serves something that is published here. */
export function defaultRoles(
  settings: Pick<Settings, 'backendUrl' | 'backendUrls'>,
  { versions }: Pick<Catalogue, 'versions'>,
): ReadonlySet<Role> {
  const { backendUrl } = settings
  const isServed =
    backendUrl === undefined &&
    [...versions.values()].some((version) => isOfBank(version) && !hasOwnBackend(settings, version))
  return new Set(roles.filter((role) => role !== 'backend' || isServed))
}
