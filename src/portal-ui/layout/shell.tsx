import { Anchor, Container, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { pagePaths } from '../../gateway/portal/page-paths.ts'
import { useSession } from '../api/session.ts'
import { useFacts } from '../facts.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import { ProfileMenu } from './profile-menu.tsx'
import classes from './shell.module.css'

/** The frame of every page: skip link, navigation and footer. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { hasSandbox } = useFacts()
  const { data: session } = useSession()
  const developer = session?.developer
  return (
    <div className={classes['root']}>
      <a href="#content" className={classes['skip']}>
        Skip to the content
      </a>
      <header className={classes['header']}>
        <Container size="lg" className={classes['bar'] ?? ''}>
          <Link href={pagePaths.landing} className={classes['brand'] ?? ''}>
            <Mark />
            Tollgate
            <span className={classes['role']}>Developers</span>
          </Link>
          <nav aria-label="Main" className={classes['nav']}>
            <NavLink href={pagePaths.landing}>APIs</NavLink>
            {hasSandbox ? <NavLink href={pagePaths.sandbox}>Sandbox</NavLink> : null}
            {developer === undefined ? null : (
              <NavLink href={pagePaths.applications}>Applications</NavLink>
            )}
            {developer?.isOperator === true ? (
              <NavLink href={pagePaths.operator}>Operator</NavLink>
            ) : null}
          </nav>
          <Group gap="xs" wrap="nowrap" className={classes['end'] ?? ''}>
            <ColorSchemeSwitch />
            {session === undefined ? null : <ProfileMenu developer={developer} />}
          </Group>
        </Container>
      </header>
      <Container
        component="main"
        size="lg"
        id="content"
        tabIndex={-1}
        className={classes['main'] ?? ''}
      >
        {children}
      </Container>
      <footer className={classes['footer']}>
        <Container size="lg">
          <Group justify="space-between" gap="xs">
            <Text size="sm" c="dimmed">
              Tollgate, an API gateway with plans and versions
            </Text>
            <Anchor href="/api/openapi.json" size="sm" underline="always">
              This portal's own API
            </Anchor>
          </Group>
        </Container>
      </footer>
    </div>
  )
}

function NavLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const [path] = useLocation()
  const isApis = href === pagePaths.landing
  const isHere = isApis
    ? path === href || path.startsWith('/apis/')
    : path === href || path.startsWith(`${href}/`)
  return (
    <Link
      href={href}
      className={classes['navLink'] ?? ''}
      aria-current={isHere ? (path === href ? 'page' : 'true') : undefined}
    >
      {children}
    </Link>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#066a7c" />
      <path
        d="M7 23V13a9 9 0 0 1 18 0v10M7 18h18"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
      />
    </svg>
  )
}
