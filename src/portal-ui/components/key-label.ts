import type { Key } from '../../portal/api/schemas/applications.ts'
import { t } from '../words.ts'

/**
 * What a key is called on the page. A rotation gives the new key the name of the
 * old one: while both work, the new one is marked.
 */
export function keyLabel({ id, name }: Pick<Key, 'id' | 'name'>, all: readonly Key[]): string {
  const replaced = all.find(({ replacedBy }) => replacedBy === id)
  const isAmbiguous = replaced?.state === 'replaced' && replaced.name === name
  return isAmbiguous ? t('keys.nameOfNew', { name }) : name
}
