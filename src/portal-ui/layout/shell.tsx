// This folder has what surrounds the content of a page. This file is the frame of all pages, with header and footer;
// `page.tsx` gives one page its heading and title, `require-session.tsx` sends visitors to sign-in, and
// `loading-router.tsx` leads from page to page. It knows the session, the address and the navigation, and uses
// `components/`, the parts inside a page.

import { Anchor, Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { pagePaths } from '../../portal/pages/page-paths.ts'
import { useSession } from '../api/session.ts'
import { useBrandName } from '../facts.tsx'
import { t } from '../words.ts'
import { BrandLinks } from './brand-links.tsx'
import { BrandSign } from './brand-sign.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import { LanguageSwitch } from './language-switch.tsx'
import { LazyProfileMenu } from './lazy-profile-menu.tsx'
import { MainMenu } from './main-menu.tsx'
import { MainLinks } from './main-navigation.tsx'
import { SearchButton } from './search-button.tsx'
import classes from './shell.module.css'
import { TermsNotice } from './terms-notice.tsx'

/** The frame of every page: skip link, header and footer. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const name = useBrandName()
  const { data: session } = useSession()
  const developer = session?.developer
  return (
    <div className={classes['root']}>
      <a href="#content" className={classes['skip']}>
        {t('shell.skip')}
      </a>
      <header className={classes['header']}>
        <div className={classes['bar']}>
          <Link href={pagePaths.landing} className={classes['brand'] ?? ''}>
            <BrandSign />
            <span className={classes['role']}>{t('shell.developers')}</span>
          </Link>
          <MainLinks developer={developer} />
          <div className={classes['end']}>
            <SearchButton />
            <LanguageSwitch />
            <ColorSchemeSwitch />
            {session === undefined ? null : developer === undefined ? (
              <Visitor />
            ) : (
              <LazyProfileMenu developer={developer} />
            )}
            <MainMenu developer={developer} />
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1} className={classes['main']}>
        <TermsNotice />
        {children}
      </main>
      <footer className={classes['footer']}>
        <div className={classes['footerBar']}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" c="dimmed">
              {t('shell.footer', { name })}
            </Text>
            <Group gap="lg">
              <BrandLinks />
              <Anchor href="/problems/" size="sm">
                {t('shell.errors')}
              </Anchor>
              <Anchor href="/api/openapi.json" size="sm">
                {t('shell.ownApi')}
              </Anchor>
            </Group>
          </Group>
        </div>
      </footer>
    </div>
  )
}

/** Pages about one's own account, where an invitation to sign up is out of place. */
const accountPaths: readonly string[] = [
  pagePaths.signIn,
  pagePaths.signUp,
  pagePaths.verify,
  pagePaths.enrol,
  pagePaths.reset,
  pagePaths.resetConfirm,
  pagePaths.confirmEmail,
  pagePaths.optOut,
]

/** What a visitor can do: sign in, or sign up for a key. */
function Visitor() {
  const [path] = useLocation()
  return (
    <>
      <Button component={Link} href={pagePaths.signIn} size="sm" variant="subtle" color="gray">
        {t('shell.signIn')}
      </Button>
      {accountPaths.includes(path) ? null : (
        <Button
          component={Link}
          href={pagePaths.signUp}
          size="sm"
          className={classes['getKey'] ?? ''}
        >
          {t('shell.getKey')}
        </Button>
      )}
    </>
  )
}
