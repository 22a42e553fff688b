import type { Key } from '../../portal/api/schemas/applications.ts'

/** What the name of a key on the page depends on. */
export type NamedKey = Pick<Key, 'id' | 'name' | 'state' | 'replacedBy' | 'expiresAt'>

/** When a key ends that was replaced by one of the same name; undefined for any other key. */
export function endBesideNamesake(
  { name, state, replacedBy, expiresAt }: NamedKey,
  all: readonly NamedKey[],
): string | undefined {
  if (state !== 'replaced' || expiresAt === null) return undefined
  return all.some((other) => other.id === replacedBy && other.name === name) ? expiresAt : undefined
}
