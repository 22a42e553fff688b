import { useCallback } from 'react'
import { useLocation } from 'wouter'
import { pagePaths } from '../portal/pages/page-paths.ts'

const pages = Object.values(pagePaths).map(
  (path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
)

/** Leads to a path of the portal: another page within this document, and what only the server has with a new one. */
export function useGoTo(): (href: string) => void {
  const [, navigate] = useLocation()
  return useCallback(
    (href) => {
      const { pathname } = new URL(href, window.location.href)
      if (pages.some((page) => page.test(pathname)) && !pathname.endsWith('.md')) navigate(href)
      else window.location.assign(href)
    },
    [navigate],
  )
}
