import { Anchor, Button, Container, Group, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { pagePaths } from '../../gateway/portal/page-paths.ts'
import { useSession } from '../api/session.ts'
import { useBrandName } from '../facts.tsx'
import { t } from '../words.ts'
import { BrandLinks } from './brand-links.tsx'
import { BrandSign } from './brand-sign.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import { LanguageSwitch } from './language-switch.tsx'
import { LazyMainMenu, LazyProfileMenu } from './lazy-menus.tsx'
import { LazyTermsNotice } from './lazy-terms-notice.tsx'
import { MainLinks } from './main-navigation.tsx'
import { SearchButton } from './search-button.tsx'
import classes from './shell.module.css'

/** The frame of every page: skip link, header and footer. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const name = useBrandName()
  const { data: session } = useSession()
  const developer = session?.developer
  // Where the style hides the links of the header.
  const isNarrow = useMediaQuery('(max-width: 56em)')
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
            {isNarrow ? <LazyMainMenu developer={developer} /> : null}
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1} className={classes['main']}>
        <LazyTermsNotice />
        {children}
      </main>
      <footer className={classes['footer']}>
        <Container size="lg">
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
        </Container>
      </footer>
    </div>
  )
}

/** What a visitor can do: sign in, or sign up for a key. */
function Visitor() {
  return (
    <>
      <Button component={Link} href={pagePaths.signIn} size="sm" variant="subtle" color="gray">
        {t('shell.signIn')}
      </Button>
      <Button
        component={Link}
        href={pagePaths.signUp}
        size="sm"
        className={classes['getKey'] ?? ''}
      >
        {t('shell.getKey')}
      </Button>
    </>
  )
}
