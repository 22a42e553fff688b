import { Link } from 'wouter'
import type { Developer } from '../../portal/api/schemas/accounts.ts'
import { t } from '../words.ts'
import { useMainLinks } from './main-links.ts'
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
