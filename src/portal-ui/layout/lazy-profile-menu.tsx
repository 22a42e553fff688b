import { type ComponentProps, type ComponentType, lazy, Suspense } from 'react'
import { Initials } from './initials.tsx'
import classes from './shell.module.css'

type ProfileMenuProps = ComponentProps<typeof import('./profile-menu.tsx').ProfileMenu>

const ProfileMenu = lazy(async (): Promise<{ default: ComponentType<ProfileMenuProps> }> => {
  try {
    return { default: (await import('./profile-menu.tsx')).ProfileMenu }
  } catch {
    return { default: () => null }
  }
})

/**
 * The menu of a signed-in developer, which loads once the page shows; until then
 * their initials are shown there. When its script does not load, the page still works.
 */
export function LazyProfileMenu(props: ProfileMenuProps) {
  return (
    <Suspense
      fallback={
        <span className={classes['avatar']}>
          <Initials name={props.developer.name} />
        </span>
      }
    >
      <ProfileMenu {...props} />
    </Suspense>
  )
}
