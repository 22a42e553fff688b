import { origin } from '../http/listen.ts'
import type { RedisAddress, RedisHost } from '../redis/redis-address.ts'
import { type SettingRow, type Settings, settingGroups } from './settings.ts'
import type { ListenAddress } from './settings-reader.ts'

/** One setting as a process with this environment reads it. */
export interface SettingInForce {
  readonly group: string
  readonly names: readonly string[]
  /** In words for a default; secrets and passwords are hidden. */
  readonly value: string
  /** The variables that set it; empty: the default. */
  readonly setBy: readonly string[]
}

/** Every setting with its value and where it comes from. */
export function settingsInForce(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): SettingInForce[] {
  const values: Readonly<Record<string, unknown>> = settings
  return settingGroups.flatMap(({ title, rows }) =>
    Object.entries(rows).map(([key, row]) => {
      const setBy = row.names.filter((name) => (env[name] ?? '') !== '')
      return { group: title, names: row.names, value: shown(row, values[key], env), setBy }
    }),
  )
}

function shown(
  row: SettingRow<unknown>,
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (value === undefined || value === null || value === '' || isEmptyList(value)) {
    return row.fallback.replaceAll('`', '')
  }
  if (row.isSecret === true) return '(hidden)'
  if (typeof value === 'object' && !Array.isArray(value)) {
    if ('topology' in value) return redisText(value as RedisAddress)
    if ('port' in value) return origin(value as ListenAddress)
    const given = row.names.map((name) => env[name]).filter(Boolean)
    return given.join(', ') || row.fallback.replaceAll('`', '')
  }
  return withoutPassword(String(value))
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** What of an address is shown: whatever else it has may hold a password. */
const shownParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey']

function withoutPassword(text: string): string {
  if (!text.includes('://')) return text
  const url = URL.parse(text)
  if (url === null) return '(hidden)'
  if (url.password !== '') url.password = '***'
  for (const name of [...url.searchParams.keys()]) {
    if (!shownParameters.includes(name)) url.searchParams.set(name, '***')
  }
  return url.href
}

/** Without user and password. */
function redisText(address: RedisAddress): string {
  const places = hostsOf(address).map(({ host, port }) => `${host}:${port}`)
  return `${address.topology}, ${places.join(', ')}${address.isEncrypted ? ', TLS' : ''}`
}

function hostsOf(address: RedisAddress): readonly RedisHost[] {
  switch (address.topology) {
    case 'single':
      return [address.server]
    case 'sentinel':
      return address.sentinels
    case 'cluster':
      return address.nodes
  }
}
