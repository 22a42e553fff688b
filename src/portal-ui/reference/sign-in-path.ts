import { pagePaths } from '../../portal/pages/page-paths.ts'

/** Where a visitor signs in to come back to a path of the portal. */
export function signInPath(here: string): string {
  return `${pagePaths.signIn}?${new URLSearchParams({ next: here })}`
}
