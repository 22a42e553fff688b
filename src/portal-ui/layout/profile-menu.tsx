import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Link } from 'wouter'
import type { Developer } from '../../portal/api/schemas/accounts.ts'
import { pagePaths } from '../../portal/pages/page-paths.ts'
import { useSignOut } from '../api/session.ts'
import { t } from '../words.ts'
import { Initials } from './initials.tsx'
import classes from './shell.module.css'

/** The signed-in developer, with links to the profile and sign-out. */
export function ProfileMenu({ developer }: { readonly developer: Developer }) {
  const signOut = useSignOut()
  const { name, email } = developer
  return (
    <Menu width={240}>
      <Menu.Target>
        <UnstyledButton aria-busy={signOut.isPending} className={classes['avatar'] ?? ''}>
          {/* Not as aria-label: the initials on the button are not part of the name. */}
          <VisuallyHidden>{t('shell.account', { name })}</VisuallyHidden>
          <Initials name={name} />
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
        <Menu.Item component={Link} href={pagePaths.profile}>
          {t('shell.profile')}
        </Menu.Item>
        <Menu.Item onClick={() => signOut.mutate()}>{t('shell.signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
