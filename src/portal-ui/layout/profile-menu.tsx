import { Button, Menu } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { pagePaths } from '../../gateway/portal/page-paths.ts'
import type { Developer } from '../../gateway/portal/schemas/accounts.ts'
import { useSignOut } from '../api/session.ts'

/** Links to the profile and sign-out; for a visitor, to sign-in. */
export function ProfileMenu({ developer }: { readonly developer: Developer | undefined }) {
  const [, navigate] = useLocation()
  const signOut = useSignOut()
  if (developer === undefined) {
    return (
      <Button component={Link} href={pagePaths.signIn} size="sm">
        Sign in
      </Button>
    )
  }
  return (
    <Menu position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          variant="default"
          size="sm"
          maw={{ base: 150, sm: 220 }}
          loading={signOut.isPending}
        >
          <bdi>{developer.name}</bdi>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => navigate(pagePaths.profile)}>Profile</Menu.Item>
        <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
