import type { Role, Settings } from './settings.ts'

/**
 * Whether this process offers the sandbox: its page, the sample customers on
 * the bank's sign-in page, and ready-made consents. Unless SANDBOX decides, it
 * does so when it runs the bank that its gateway forwards to. With another
 * BACKEND_URL the bank may be a real one.
 */
export function hasSandbox(
  { sandbox, backendUrl }: Pick<Settings, 'sandbox' | 'backendUrl'>,
  roles: ReadonlySet<Role>,
): boolean {
  if (sandbox !== undefined) return sandbox === 'on'
  return roles.has('backend') && backendUrl === undefined
}

/** A version as far as its backend depends on it. */
interface Backed {
  readonly api: string
  /** What its document names. */
  readonly backend: string | undefined
}

/** The settings that name backends. */
export type BackendUrls = Pick<Settings, 'backendUrl' | 'backendUrls'>

/** The URL of a version's backend: a setting wins over its document; undefined: the bank in this process. */
export function backendUrlOf({ backendUrl, backendUrls }: BackendUrls, { api, backend }: Backed) {
  return backendUrls.get(api) ?? backendUrl ?? backend
}

/** The path of a backend's URL, which takes the place of the base path of a version; undefined without one. */
export function backendPathOf(url: string): string | undefined {
  const { pathname } = new URL(url)
  return pathname === '/' && !url.endsWith('/') ? undefined : pathname.replace(/\/$/, '')
}

/** Whether the calls of a version go to a backend of its own, and so never to the sandbox bank. */
export function hasOwnBackend({ backendUrl, backendUrls }: BackendUrls, { api, backend }: Backed) {
  return backendUrls.has(api) || (backend !== undefined && backendUrl === undefined)
}
