import {
  Combobox as Choices,
  TextInput,
  type TextInputProps,
  useCombobox,
  VisuallyHidden,
} from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useActiveOption } from './use-active-option.ts'

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
  /** The text in the field. */
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

/** A field with a list of choices, which opens with the focus. The caller decides which choices match the text. */
export function Combobox(props: ComboboxProps) {
  const { text, options, nothingFound, onType, onChoose, onBlur, onFocus, ...input } = props
  const [isWanted, setIsWanted] = useState(false)
  const isOpen = isWanted && (options.length > 0 || nothingFound !== undefined)
  const want = (wanted: boolean) => {
    setIsWanted(wanted)
    activeOption.reset()
  }
  const choose = (value: string) => {
    want(false)
    onChoose(value)
  }
  const activeOption = useActiveOption({
    values: options.map(({ value }) => value),
    isOpen,
    onOpenChange: want,
    onChoose: choose,
  })
  const store = useCombobox({ opened: isOpen, onOpenedChange: want })
  return (
    <Choices store={store} onOptionSubmit={choose}>
      <Choices.Target withExpandedAttribute {...activeOption.targetProps}>
        <TextInput
          {...input}
          aria-autocomplete="list"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            onType(event.currentTarget.value)
            want(true)
          }}
          onKeyDown={activeOption.onKeyDown}
          onClick={() => want(true)}
          onFocus={(event) => {
            want(true)
            onFocus?.(event)
          }}
          onBlur={(event) => {
            want(false)
            onBlur?.(event)
          }}
        />
      </Choices.Target>
      <Choices.Dropdown>
        <Choices.Options aria-label={input.label} mah="25rem" style={{ overflowY: 'auto' }}>
          {options.map(({ value, content }) => (
            <Choices.Option key={value} {...activeOption.optionProps(value)}>
              {content}
            </Choices.Option>
          ))}
          {options.length === 0 ? <Choices.Empty>{nothingFound}</Choices.Empty> : null}
        </Choices.Options>
      </Choices.Dropdown>
      <VisuallyHidden role="status">
        {isOpen && options.length === 0 ? nothingFound : null}
      </VisuallyHidden>
    </Choices>
  )
}
