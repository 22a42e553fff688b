import { type ComponentType, lazy, Suspense } from 'react'
import classes from './shell.module.css'

type Menus = typeof import('./header-menus.ts')

/** The main navigation of a narrow screen. */
export const LazyMainMenu = lazyMenu('MainMenu')

/** The menu of a signed-in developer. */
export const LazyProfileMenu = lazyMenu('ProfileMenu')

/**
 * A menu of the header that loads once the page shows, and leaves its place free
 * until then. Without it, when its script does not load, the page still works.
 */
function lazyMenu<Name extends keyof Menus>(name: Name): Menus[Name] {
  const Menu = lazy(async () => ({
    default: await import('./header-menus.ts').then(
      (menus): ComponentType<object> => menus[name] as ComponentType<object>,
      () => () => null,
    ),
  }))
  const Placed = (props: object) => (
    <Suspense fallback={<span className={classes['menuPlace']} />}>
      <Menu {...props} />
    </Suspense>
  )
  // It takes what the menu takes.
  return Placed as Menus[Name]
}
