import { TextInput, type TextInputProps } from '@mantine/core'
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import classes from './choices.module.css'
import { usePlaceBeside } from './use-place-beside.ts'

export interface ComboboxProps
  extends Pick<
    TextInputProps,
    | 'classNames'
    | 'description'
    | 'dir'
    | 'disabled'
    | 'error'
    | 'maxLength'
    | 'onBlur'
    | 'onFocus'
    | 'placeholder'
    | 'required'
    | 'rightSection'
  > {
  readonly label: string
  /** What stands in the field. */
  readonly text: string
  readonly options: readonly ComboboxOption[]
  /** Stands in the list when it has no option. */
  readonly nothingFound?: string
  readonly onType: (text: string) => void
  readonly onChoose: (value: string) => void
}

/** A choice of the list. */
export interface ComboboxOption {
  readonly value: string
  readonly content: ReactNode
}

/**
 * A field with a list of choices, which opens with the focus. The caller decides
 * which choices fit the text. The library's own would be 27 KB (gzip) more.
 */
export function Combobox(props: ComboboxProps) {
  const { label, text, options, nothingFound, onType, onChoose, onBlur, onFocus, ...input } = props
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [isWanted, setIsWanted] = useState(false)
  const [marked, setMarked] = useState(-1)
  // The options may become fewer by themselves.
  const active = Math.min(marked, options.length - 1)
  const isOpen = isWanted && (options.length > 0 || nothingFound !== undefined)

  // Above everything, however the field's surroundings scroll; as wide as the field.
  useLayoutEffect(() => {
    const width = document.getElementById(id)?.offsetWidth ?? 0
    if (list.current !== null) list.current.style.width = `${width}px`
    if (isOpen) list.current?.showPopover()
    else list.current?.hidePopover()
  }, [id, isOpen])
  usePlaceBeside({ placed: list, besideId: id, edge: 'start', isOpen })

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another option is the active one
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [active])

  const close = () => {
    setIsWanted(false)
    setMarked(-1)
  }
  const choose = (value: string) => {
    close()
    onChoose(value)
  }
  const press = (event: KeyboardEvent) => {
    // Enter and arrows belong to the input method while it composes.
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const chosen = isOpen ? options[active] : undefined
    if (step !== undefined && options.length > 0) {
      setIsWanted(true)
      setMarked(
        active < 0 && step < 0
          ? options.length - 1
          : (active + step + options.length) % options.length,
      )
    } else if (event.key === 'Enter' && chosen !== undefined) choose(chosen.value)
    else if (event.key === 'Escape' && isOpen) close()
    else return
    event.preventDefault()
  }

  return (
    <>
      <TextInput
        {...input}
        id={id}
        label={label}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={isOpen && active >= 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          onType(event.currentTarget.value)
          setIsWanted(true)
          setMarked(-1)
        }}
        onClick={() => setIsWanted(true)}
        onFocus={(event) => {
          setIsWanted(true)
          onFocus?.(event)
        }}
        onBlur={(event) => {
          close()
          onBlur?.(event)
        }}
        onKeyDown={press}
      />
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        tabIndex={-1}
        popover="manual"
        className={classes['choices']}
        data-placed={isOpen || undefined}
        // The focus stays in the field.
        onMouseDown={(event) => event.preventDefault()}
      >
        {isOpen
          ? options.map(({ value, content }, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the field
              <div
                key={value}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === active}
                tabIndex={-1}
                className={classes['item']}
                onClick={() => choose(value)}
              >
                {content}
              </div>
            ))
          : null}
        {isOpen && options.length === 0 ? (
          <div
            role="option"
            aria-selected={false}
            aria-disabled
            tabIndex={-1}
            className={classes['nothing']}
          >
            {nothingFound}
          </div>
        ) : null}
      </div>
    </>
  )
}
