import { pagePaths } from '../../../portal/pages/page-paths.ts'

/** Where a guide is on the portal. */
export function guidePath(name: string): string {
  return `${pagePaths.guides}/${encodeURIComponent(name)}`
}
