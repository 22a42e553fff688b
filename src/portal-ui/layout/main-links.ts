import { useLocation } from 'wouter'
import type { Developer } from '../../portal/api/schemas/accounts.ts'
import { pagePaths } from '../../portal/pages/page-paths.ts'
import { useFacts } from '../facts.tsx'
import { t } from '../words.ts'

/** A link to a part of the portal. */
export interface MainLink {
  readonly href: string
  readonly label: string
  /** `page` on the page itself, `true` below it. */
  readonly current: 'page' | 'true' | undefined
}

/** The parts of the portal that a reader may visit. */
export function useMainLinks(developer: Developer | undefined): MainLink[] {
  const { hasSandbox } = useFacts()
  const [path] = useLocation()
  const link = (href: string, label: string, below: readonly string[] = [href]): MainLink => {
    const isBelow = below.some((start) => path.startsWith(`${start}/`))
    return { href, label, current: path === href ? 'page' : isBelow ? 'true' : undefined }
  }
  return [
    link(pagePaths.landing, t('shell.apis'), ['/apis']),
    link(pagePaths.guides, t('shell.guides')),
    ...(hasSandbox ? [link(pagePaths.sandbox, t('shell.sandbox'))] : []),
    ...(developer === undefined ? [] : [link(pagePaths.applications, t('shell.applications'))]),
    ...(developer?.isOperator === true ? [link(pagePaths.operator, t('shell.operator'))] : []),
  ]
}
