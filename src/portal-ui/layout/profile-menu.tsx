import { Avatar, Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useLocation } from 'wouter'
import { pagePaths } from '../../gateway/portal/page-paths.ts'
import type { Developer } from '../../gateway/portal/schemas/accounts.ts'
import { useSignOut } from '../api/session.ts'
import { t } from '../words.ts'
import classes from './shell.module.css'

/** Whose session it is, with links to the profile and sign-out. */
export function ProfileMenu({ developer }: { readonly developer: Developer }) {
  const [, navigate] = useLocation()
  const signOut = useSignOut()
  const { name, email } = developer
  return (
    <Menu position="bottom-end" width={240} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton aria-busy={signOut.isPending} className={classes['avatar'] ?? ''}>
          {/* Not as aria-label: the initials on the button are not part of the name. */}
          <VisuallyHidden>{t('shell.account', { name })}</VisuallyHidden>
          <Avatar size={32} color="tide" aria-hidden>
            {/* Drawn by the style sheet: the letters are no part of the button's name. */}
            <span className={classes['initials']} data-initials={initialsOf(name)} />
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes['who']}>
          <Text fw={600} truncate>
            <bdi>{name}</bdi>
          </Text>
          <Text size="sm" c="dimmed" truncate>
            <bdi>{email}</bdi>
          </Text>
        </div>
        <Menu.Divider />
        <Menu.Item onClick={() => navigate(pagePaths.profile)}>{t('shell.profile')}</Menu.Item>
        <Menu.Item onClick={() => signOut.mutate()}>{t('shell.signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map((word = '') => [...word][0]?.toUpperCase() ?? '').join('')
}
