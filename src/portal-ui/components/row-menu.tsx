import { ActionIcon, Menu } from '@mantine/core'
import { useRef } from 'react'
import classes from './row-menu.module.css'

export interface RowMenuProps {
  /** Names the button: "Actions for Laptop". */
  readonly label: string
  readonly items: readonly RowMenuItem[]
}

export interface RowMenuItem {
  /** The words that show: "Rotate". */
  readonly label: string
  /** The same with what it acts on, unique on the page: "Rotate key Laptop". It contains the label. */
  readonly name: string
  readonly onChoose: () => void
}

/** What can be done with a row, behind "⋯". Danger shows where it is confirmed. */
export function RowMenu({ label, items }: RowMenuProps) {
  const button = useRef<HTMLButtonElement>(null)
  if (items.length === 0) return null
  return (
    <Menu width={220}>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" size={32} aria-label={label}>
          <svg
            viewBox="0 0 16 16"
            width="16"
            height="16"
            aria-hidden="true"
            className={classes['dots']}
          >
            <circle cx="3" cy="8" r="1.4" />
            <circle cx="8" cy="8" r="1.4" />
            <circle cx="13" cy="8" r="1.4" />
          </svg>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(({ label: text, name, onChoose }) => (
          <Menu.Item
            key={text}
            aria-label={name}
            onClick={() => {
              // First, so that a dialog gives the focus back to the button.
              button.current?.focus()
              onChoose()
            }}
          >
            {text}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
