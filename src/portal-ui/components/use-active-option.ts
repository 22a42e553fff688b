import { type KeyboardEvent, useEffect, useId, useState } from 'react'

export interface ActiveOptionOptions {
  /** The options in the order of the list. */
  readonly values: readonly string[]
  readonly isOpen: boolean
  /** Whether the first option is active until the arrow keys choose another. (Default: no option is) */
  readonly startsAtFirst?: boolean
  /** Missing for a list that is always open. */
  readonly onOpenChange?: (isOpen: boolean) => void
  readonly onChoose: (value: string) => void
}

/**
 * The keyboard of a field with a list of options: the editable combobox of the
 * ARIA Authoring Practices. It replaces the one of Mantine's Combobox, which
 * remembers a place in the list: in a list that changes, Enter would choose
 * another option than the highlighted one.
 */
export function useActiveOption(options: ActiveOptionOptions) {
  const { values, isOpen, startsAtFirst = false, onOpenChange, onChoose } = options
  const id = useId()
  const [moved, setMoved] = useState<string>()
  const start = startsAtFirst ? values[0] : undefined
  const active = !isOpen ? undefined : moved && values.includes(moved) ? moved : start
  // An id has no spaces.
  const idOf = (value: string) => `${id}${value.replace(/\s/g, '+')}`
  const activeId = active === undefined ? undefined : idOf(active)
  useEffect(() => {
    if (activeId === undefined) return
    document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  const onKeyDown = (event: KeyboardEvent) => {
    const { key, altKey, nativeEvent } = event
    // The keys belong to the input method. In Safari, the Enter that ends a composition has only this key code.
    if (nativeEvent.isComposing || nativeEvent.keyCode === 229) return
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      const isDown = key === 'ArrowDown'
      if (altKey) onOpenChange?.(isDown)
      else {
        if (!isOpen) onOpenChange?.(true)
        const at = active === undefined ? -1 : values.indexOf(active)
        setMoved(values.at(isDown ? (at + 1) % values.length : Math.max(at, 0) - 1))
      }
    } else if (key === 'Enter' && active !== undefined) {
      event.preventDefault()
      onChoose(active)
    } else if (key === 'Escape') onOpenChange?.(false)
    // They move the cursor in the text.
    else if (['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(key)) setMoved(undefined)
  }

  return {
    /** Props of `Combobox.Target` or `Combobox.EventsTarget`. */
    targetProps: { withKeyboardNavigation: false, 'aria-activedescendant': activeId },
    onKeyDown,
    optionProps: (value: string) => ({
      value,
      id: idOf(value),
      'aria-selected': value === active,
    }),
    /** Back to the start, as when the text changes. */
    reset: () => setMoved(undefined),
  }
}
