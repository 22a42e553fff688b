import { dateFormat } from '../formats.ts'
import { t } from '../words.ts'
import { endBesideNamesake, type NamedKey } from './namesake.ts'

/**
 * What a key is called on the page. A rotation gives the new key the name of the
 * old one: while both work, the old one is marked with its last day.
 */
export function keyLabel(key: NamedKey, all: readonly NamedKey[]): string {
  const end = endBesideNamesake(key, all)
  if (end === undefined) return key.name
  const day = dateFormat({ day: 'numeric', month: 'short' }).format(new Date(end))
  return t('keys.nameUntil', { name: key.name, day })
}
