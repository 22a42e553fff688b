import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import classes from './part-links.module.css'

export interface PartLinksProps<Part extends string> {
  /** Name of the bar for screen readers. */
  readonly label: string
  readonly parts: readonly Part[]
  readonly current: Part
  readonly titles: Readonly<Record<Part, string>>
  readonly path: (part: Part) => string
}

/** A bar of links to the parts of a page; each part has its own address. */
export function PartLinks<Part extends string>(props: PartLinksProps<Part>) {
  const { label, parts, current, titles, path } = props
  const bar = useRef<HTMLElement>(null)

  // On a narrow screen the current one may be outside of what shows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the part that shows decides, not the element
  useEffect(() => {
    const link = bar.current?.querySelector('[aria-current]')
    link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])

  return (
    <nav ref={bar} aria-label={label} className={classes['bar']}>
      {parts.map((part) => (
        <Link
          key={part}
          href={path(part)}
          className={classes['part'] ?? ''}
          aria-current={part === current ? 'page' : undefined}
        >
          {titles[part]}
        </Link>
      ))}
    </nav>
  )
}
