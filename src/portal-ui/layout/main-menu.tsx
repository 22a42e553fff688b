import { type FocusEvent, useId, useRef } from 'react'
import { Link } from 'wouter'
import { t } from '../words.ts'
import { useMainLinks } from './main-links.ts'
import type { MainNavigationProps } from './main-navigation.tsx'
import classes from './shell.module.css'

/**
 * The links of the main navigation behind a button, on a narrow screen or at
 * high zoom. The browser's own popover opens, closes and places the focus, so
 * it is there with the header.
 */
export function MainMenu({ developer }: MainNavigationProps) {
  const links = useMainLinks(developer)
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const popover = useRef<HTMLElement>(null)
  /** Closes the menu when the focus goes to neither its links nor its button. */
  const closeBehind = ({ relatedTarget: next }: FocusEvent) => {
    const menu = popover.current
    if (next === null || next === button.current || menu?.contains(next)) return
    menu?.hidePopover()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-label={t('shell.menu')}
        className={classes['menuButton']}
        onBlur={closeBehind}
      >
        <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
          <path d="M2 4h12M2 8h12M2 12h12" />
        </svg>
      </button>
      <nav
        ref={popover}
        id={id}
        popover="auto"
        aria-label={t('shell.menu')}
        className={classes['menu']}
        onBlur={closeBehind}
      >
        {links.map(({ href, label, current }) => (
          <Link
            key={href}
            href={href}
            className={classes['navLink'] ?? ''}
            aria-current={current}
            onClick={() => popover.current?.hidePopover()}
          >
            {label}
          </Link>
        ))}
      </nav>
    </>
  )
}
