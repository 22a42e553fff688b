import { type ApiVersion, type Catalogue, versionKey } from '../catalogue/catalogue.ts'
import { nearestName } from '../platform/edit-distance.ts'
import { isLoopback } from '../platform/http/loopback.ts'
import { backendUrlOf, hasOwnBackend } from '../platform/settings/sandbox.ts'
import type { Role, Settings } from '../platform/settings/settings.ts'
import { SettingsError } from '../platform/settings/settings-reader.ts'
import type { Prepare } from './publisher.ts'

type BackendSettings = Pick<
  Settings,
  'backend' | 'backendUrl' | 'backendUrls' | 'requireTls' | 'upstreamTls'
>

/**
 * Checks that every API of BACKEND_URLS is published, because the calls of a
 * misspelled one would go to another backend; that no path of an address would
 * make several versions the same at their backend; and, for the roles of a
 * process, that every version has a backend and that settings of TLS have an effect.
 *
 * @param roles (default: unknown, as for a check of the files)
 * @throws {SettingsError} with every problem
 */
export function checkBackends(
  settings: BackendSettings,
  { versions }: Pick<Catalogue, 'versions'>,
  roles: ReadonlySet<Role> = new Set(),
): void {
  const problems = backendProblems(settings, { versions }, roles)
  if (problems.length > 0) throw new SettingsError(problems)
}

/** The problems that {@link checkBackends} throws. */
export function backendProblems(
  settings: BackendSettings,
  { versions }: Pick<Catalogue, 'versions'>,
  roles: ReadonlySet<Role>,
): readonly string[] {
  const all = [...versions.values()]
  const ofRoles = roles.has('gateway')
    ? [
        ...withoutBackend(settings, all, roles),
        ...withoutTls(settings, all),
        ...(settings.requireTls ? plainBackends(settings, { versions }) : []),
      ]
    : []
  return [...unknownApis(settings, all), ...sharedPaths(settings, all), ...ofRoles]
}

function withoutBackend(
  settings: BackendSettings,
  versions: readonly ApiVersion[],
  roles: ReadonlySet<Role>,
): readonly string[] {
  if (roles.has('backend')) return []
  const rest = versions.filter((version) => backendUrlOf(settings, version) === undefined)
  if (rest.length === 0) return []
  const keys = rest.map(({ api, version }) => versionKey(api, version)).join(', ')
  return [
    `BACKEND_URL: is required for a gateway without the bank in its process, because no document names a backend of ${keys} (e.g. http://10.0.0.7:8082)`,
  ]
}

function withoutTls(settings: BackendSettings, versions: readonly ApiVersion[]): readonly string[] {
  if (settings.upstreamTls === undefined || settings.backend.tls !== undefined) return []
  const urls = [
    settings.backendUrl,
    ...settings.backendUrls.values(),
    ...versions.map(({ backend }) => backend),
  ]
  if (urls.some((url) => url?.startsWith('https:'))) return []
  return [
    'BACKEND_URL: it, an address in BACKEND_URLS or a backend in a document must begin with https:// with UPSTREAM_TLS_CA_FILE or UPSTREAM_TLS_CERT_FILE, which have no effect otherwise (e.g. https://bank.internal:8082)',
  ]
}

function unknownApis(
  { backendUrls }: BackendSettings,
  versions: readonly ApiVersion[],
): readonly string[] {
  const known = [...new Set(versions.map(({ api }) => api))]
  return [...backendUrls.keys()].flatMap((name) => {
    if (known.includes(name)) return []
    const nearest = nearestName(name, known)
    const hint = nearest === undefined ? `APIs are ${known.join(', ')}` : `do you mean ${nearest}?`
    return [`BACKEND_URLS: there is no API "${name}" in CONFIG_DIR; ${hint}`]
  })
}

function sharedPaths(
  { backendUrl, backendUrls }: BackendSettings,
  versions: readonly ApiVersion[],
): readonly string[] {
  const others = versions.filter(({ api }) => !backendUrls.has(api))
  const uses = [
    { name: 'BACKEND_URL', url: backendUrl, of: others },
    ...[...backendUrls].map(([name, url]) => ({
      name: `BACKEND_URLS: the address of "${name}"`,
      url,
      of: versions.filter(({ api }) => api === name),
    })),
  ]
  return uses.flatMap(({ name, url, of }) => {
    if (url === undefined || new URL(url).pathname === '/' || of.length < 2) return []
    const keys = of.map(({ api, version }) => versionKey(api, version)).join(', ')
    return `${name}: its path would take the place of the prefix of several versions (${keys}), which would then be the same; leave out the path`
  })
}

/** Backends on other machines that documents name and to which the connection is not encrypted. */
export function plainBackends(
  settings: BackendSettings,
  { versions }: Pick<Catalogue, 'versions'>,
): readonly string[] {
  return [...versions.values()].flatMap((version) => {
    const { api, version: label, backend } = version
    const isUsed = hasOwnBackend(settings, version) && !settings.backendUrls.has(api)
    if (!isUsed || backend?.startsWith('http:') !== true) return []
    if (isLoopback(new URL(backend).hostname)) return []
    return `the connection to the backend of ${versionKey(api, label)} is not encrypted (use https:// in x-tollgate)`
  })
}

/** Refuses a new configuration that does not fit the settings of backends: the next start would fail with it. */
export function backendsOf(settings: BackendSettings, roles: ReadonlySet<Role>): Prepare {
  return async (catalogue) => {
    checkBackends(settings, catalogue, roles)
    return () => {}
  }
}
