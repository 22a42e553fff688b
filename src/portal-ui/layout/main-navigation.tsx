import { ActionIcon, Menu } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { pagePaths } from '../../gateway/portal/page-paths.ts'
import type { Developer } from '../../gateway/portal/schemas/accounts.ts'
import { useFacts } from '../facts.tsx'
import { t } from '../words.ts'
import classes from './shell.module.css'

export interface MainNavigationProps {
  /** Undefined for a visitor. */
  readonly developer: Developer | undefined
}

/** Links to the parts of the portal, in the header of a wide screen. */
export function MainLinks({ developer }: MainNavigationProps) {
  const links = useMainLinks(developer)
  return (
    <nav aria-label={t('shell.main')} className={classes['nav']}>
      {links.map(({ href, label, current }) => (
        <Link key={href} href={href} className={classes['navLink'] ?? ''} aria-current={current}>
          {label}
        </Link>
      ))}
    </nav>
  )
}

/** The same links behind a button, on a narrow screen or at high zoom. */
export function MainMenu({ developer }: MainNavigationProps) {
  const links = useMainLinks(developer)
  const [, navigate] = useLocation()
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('shell.menu')}
          className={classes['menuButton'] ?? ''}
        >
          <svg
            viewBox="0 0 16 16"
            width="18"
            height="18"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.8"
            strokeLinecap="round"
            aria-hidden="true"
          >
            <path d="M2 4h12M2 8h12M2 12h12" />
          </svg>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {links.map(({ href, label, current }) => (
          <Menu.Item
            key={href}
            onClick={() => navigate(href)}
            {...(current === undefined ? {} : { 'aria-current': current, fw: 600 })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

interface MainLink {
  readonly href: string
  readonly label: string
  /** `page` at the very page, `true` below it. */
  readonly current: 'page' | 'true' | undefined
}

function useMainLinks(developer: Developer | undefined): MainLink[] {
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
