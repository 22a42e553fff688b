import { UnstyledButton } from '@mantine/core'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import classes from './side-bar.module.css'

export interface SideBarItem {
  readonly href: string
  readonly label: string
  /** 16 px. */
  readonly icon?: ReactNode
  /** Behind the label, for example the method of an operation. */
  readonly end?: ReactNode
  /** Language of a label that is not in the page's language (BCP 47). */
  readonly language?: string
}

/** Links that belong together, below a heading. */
export interface SideBarGroup {
  /** Empty: no heading. */
  readonly title: string
  readonly items: readonly SideBarItem[]
  /** Language of a title that is not in the page's language (BCP 47). */
  readonly language?: string
}

export interface SideBarProps {
  /** Names the navigation for screen readers. */
  readonly label: string
  readonly items: readonly SideBarItem[]
  /** Below the links. With groups, the bar is a menu to open on a narrow screen. */
  readonly groups?: readonly SideBarGroup[]
  /** `href` of the item on screen. */
  readonly current: string
  /** Above the links: what they belong to, with a menu of others. */
  readonly top?: ReactNode
  /** Whether the page consists of cards, which stand out from a darker ground. */
  readonly hasCards?: boolean
  readonly children: ReactNode
}

/** Links at the side of a page, 232 px wide; on a narrow screen one row above it, or a menu if there are groups. */
export function SideBar(props: SideBarProps) {
  const { label, items, groups = [], current, top, hasCards = false, children } = props
  const here = useRef<HTMLAnchorElement>(null)
  useInSight(here, current)
  const list = (each: readonly SideBarItem[]) => (
    <ul className={classes['list']}>
      {each.map(({ href, label, icon, end, language }) => (
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
            <span className={classes['label']}>
              <bdi lang={language}>{label}</bdi>
            </span>
            {end}
          </Link>
        </li>
      ))}
    </ul>
  )
  return (
    <div className={classes['layout']} data-cards={hasCards || undefined}>
      <nav aria-label={label} className={classes['bar']}>
        {groups.length === 0 ? (
          <div className={classes['inside']}>
            {top === undefined ? null : <div className={classes['top']}>{top}</div>}
            <div className={classes['scroll']}>{list(items)}</div>
          </div>
        ) : (
          <Foldable label={label} current={current}>
            {top === undefined ? null : <div className={classes['top']}>{top}</div>}
            {list(items)}
            {groups.map((group) => (
              <div key={group.title}>
                {group.title === '' ? null : (
                  <h2 className={classes['group']} lang={group.language}>
                    {group.title}
                  </h2>
                )}
                {list(group.items)}
              </div>
            ))}
          </Foldable>
        )}
      </nav>
      <div className={classes['content']}>{children}</div>
    </div>
  )
}

/** Keeps the current item in sight in a bar that scrolls sideways, even if its width or the content before it changes. */
function useInSight(item: RefObject<HTMLElement | null>, current: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another item is the current one
  useEffect(() => {
    const bar = item.current?.closest('ul')?.parentElement
    if (!bar) return
    const observer = new ResizeObserver(() =>
      item.current?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    )
    observer.observe(bar)
    for (const part of bar.children) observer.observe(part)
    return () => observer.disconnect()
  }, [current])
}

interface FoldableProps {
  readonly label: string
  /** Whenever it changes, the menu closes. */
  readonly current: string
  readonly children: ReactNode
}

/** Always open beside the page; above it, a button opens it. */
function Foldable({ label, current, children }: FoldableProps) {
  const [openAt, setOpenAt] = useState<string>()
  const isOpen = openAt === current
  return (
    <div className={classes['foldable']} data-open={isOpen || undefined}>
      <UnstyledButton
        className={classes['fold'] ?? ''}
        aria-expanded={isOpen}
        onClick={() => setOpenAt(isOpen ? undefined : current)}
      >
        {label}
      </UnstyledButton>
      <div className={classes['folded']}>{children}</div>
    </div>
  )
}
