import { isScalar, parseDocument } from 'yaml'
import type { JsonObject } from '../../catalogue/catalogue.ts'
import { isJsonObject } from '../../catalogue/json.ts'

/**
 * The names under which a document is published unless the command line says
 * otherwise; undefined where title or version have nothing to make one of.
 *
 * @param statedVersion see {@link statedVersionOf}
 */
export function namesOf({ info }: JsonObject, statedVersion: string) {
  const { title } = isJsonObject(info) ? info : {}
  const api = String(title ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
    .slice(0, 64)
  // Dates become 2026.11.29, so that each day is a version.
  const stated = statedVersion.replace(/^(\d{4})-(\d{2})-(\d{2})\b/, '$1.$2.$3')
  const label = /[0-9]{1,10}(\.[0-9]{1,10}){0,5}/.exec(stated)?.[0]
  return { api: api === '' ? undefined : api, version: label }
}

/** `info.version` as a document spells it (`2.10`, although that number is 2.1). */
export function statedVersionOf({ info }: JsonObject, text: string): string {
  const { version } = isJsonObject(info) ? info : {}
  if (typeof version !== 'number') return String(version ?? '')
  const scalar = parseDocument(text).getIn(['info', 'version'], true)
  return (isScalar(scalar) ? scalar.source : undefined) ?? String(version)
}
