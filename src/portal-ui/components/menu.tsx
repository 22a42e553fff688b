import {
  type ComponentPropsWithoutRef,
  createContext,
  type KeyboardEvent,
  type ReactNode,
  use,
  useId,
  useRef,
  useState,
} from 'react'
import { Link } from 'wouter'
import classes from './choices.module.css'
import { usePlaceBeside } from './use-place-beside.ts'

export interface MenuProps {
  /** The button that opens it, with these properties. */
  readonly button: (opens: MenuButtonProps) => ReactNode
  /** Width in pixels at the usual size of text. */
  readonly width: number
  /** The edge of the button that it ends at. (Default: end) */
  readonly edge?: 'start' | 'end'
  /** Whether it stays open after a choice. (Default: false) */
  readonly staysOpen?: boolean
  /** {@link MenuItem}s and what stands between them; rendered only while it is open. */
  readonly children: ReactNode
}

/** What makes a button open the menu. */
export type MenuButtonProps = Pick<
  ComponentPropsWithoutRef<'button'>,
  'id' | 'popoverTarget' | 'aria-haspopup'
>

/** Called at a choice. */
const ChosenContext = createContext<() => void>(() => undefined)

/**
 * Choices behind a button. The browser's own popover opens it above everything,
 * closes it and gives the focus back; the library's menu would be 26 KB (gzip) more
 * on each page that has one.
 */
export function Menu({ button, width, edge = 'end', staysOpen = false, children }: MenuProps) {
  const id = useId()
  const buttonId = useId()
  const popover = useRef<HTMLDivElement>(null)
  const [isOpen, setIsOpen] = useState(false)

  usePlaceBeside({
    placed: popover,
    besideId: buttonId,
    edge,
    isOpen,
    onPlaced: () => itemsIn(popover.current)[0]?.focus({ preventScroll: true }),
  })

  const close = () => popover.current?.hidePopover()
  const move = (event: KeyboardEvent) => {
    // The focus returns to the button and moves on from there.
    if (event.key === 'Tab') return close()
    const items = itemsIn(popover.current)
    const from = items.findIndex((item) => item.matches(':focus'))
    const next = nextIndex(event.key, from)
    if (next === undefined) return
    event.preventDefault()
    items.at(next % items.length)?.focus()
  }

  return (
    <>
      {button({ id: buttonId, popoverTarget: id, 'aria-haspopup': 'menu' })}
      <div
        ref={popover}
        id={id}
        role="menu"
        popover="auto"
        aria-labelledby={buttonId}
        className={classes['choices']}
        style={{ width: `${width / 16}rem` }}
        onKeyDown={move}
        data-placed={isOpen || undefined}
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
      >
        <ChosenContext value={staysOpen ? () => undefined : close}>
          {isOpen ? children : null}
        </ChosenContext>
      </div>
    </>
  )
}

function itemsIn(menu: HTMLElement | null): readonly HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)') ?? [])]
}

/** Where a key leads to from the item at an index, -1 for none; negative: from the end. */
function nextIndex(key: string, from: number): number | undefined {
  if (key === 'ArrowDown') return from + 1
  if (key === 'ArrowUp') return Math.max(from, 0) - 1
  if (key === 'Home') return 0
  return key === 'End' ? -1 : undefined
}

export interface MenuItemProps {
  /** Names it, where its content alone does not. */
  readonly label?: string
  /** Where it leads to; without, it only does `onChoose`. */
  readonly href?: string
  readonly onChoose?: () => void
  readonly isDisabled?: boolean
  readonly children: ReactNode
}

/** A choice of a {@link Menu}. */
export function MenuItem({ label, href, onChoose, isDisabled = false, children }: MenuItemProps) {
  const chosen = use(ChosenContext)
  const shared = {
    role: 'menuitem',
    tabIndex: -1,
    className: classes['item'] ?? '',
    ...(label === undefined ? {} : { 'aria-label': label }),
    onClick: () => {
      // First, so that a dialog finds the focus on the button and gives it back to it.
      chosen()
      onChoose?.()
    },
  } as const
  return href === undefined ? (
    <button type="button" disabled={isDisabled} {...shared}>
      {children}
    </button>
  ) : (
    <Link href={href} {...shared}>
      {children}
    </Link>
  )
}

/** Tells what the choices below it are for. */
export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <div className={classes['label']}>{children}</div>
}

/** A line between choices. */
export function MenuDivider() {
  // Drawn only: an <hr> is no child that a menu may have everywhere.
  return <div className={classes['divider']} />
}
