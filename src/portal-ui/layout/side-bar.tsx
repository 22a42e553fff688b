import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import classes from './side-bar.module.css'

export interface SideBarItem {
  readonly href: string
  readonly label: string
  /** 16 px. */
  readonly icon?: ReactNode
}

export interface SideBarProps {
  /** Names the navigation for screen readers. */
  readonly label: string
  readonly items: readonly SideBarItem[]
  /** `href` of the item on screen. */
  readonly current: string
  /** Above the links: what they belong to, with a menu of others. */
  readonly top?: ReactNode
  readonly children: ReactNode
}

/** Links at the side of a page, 232 px wide; on a narrow screen one row above it. */
export function SideBar({ label, items, current, top, children }: SideBarProps) {
  const here = useRef<HTMLAnchorElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another item is the current one
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return (
    <div className={classes['layout']}>
      <nav aria-label={label} className={classes['bar']}>
        <div className={classes['inside']}>
          {top === undefined ? null : <div className={classes['top']}>{top}</div>}
          <ul className={classes['list']}>
            {items.map(({ href, label, icon }) => (
              <li key={href}>
                <Link
                  href={href}
                  className={classes['link'] ?? ''}
                  {...(href === current ? { ref: here, 'aria-current': 'page' } : {})}
                >
                  {icon === undefined ? null : (
                    <span className={classes['icon']} aria-hidden>
                      {icon}
                    </span>
                  )}
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      </nav>
      <div className={classes['content']}>{children}</div>
    </div>
  )
}
