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

/** Whether the calls of a version go to a backend of its own, and so never to the sandbox bank. */
export function hasOwnBackend(
  { backendUrl, backendUrls }: Pick<Settings, 'backendUrl' | 'backendUrls'>,
  { api, backend }: { readonly api: string; readonly backend: string | undefined },
): boolean {
  return backendUrls.has(api) || (backend !== undefined && backendUrl === undefined)
}
