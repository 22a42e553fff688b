import { Combobox as Choices, TextInput, type TextInputProps, useCombobox } from '@mantine/core'
import { type ReactNode, useState } from 'react'

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
  const store = useCombobox({
    opened: isWanted && (options.length > 0 || nothingFound !== undefined),
    onOpenedChange: setIsWanted,
    onDropdownClose: () => store.resetSelectedOption(),
  })
  return (
    <Choices
      store={store}
      onOptionSubmit={(value) => {
        store.closeDropdown()
        onChoose(value)
      }}
    >
      <Choices.Target withExpandedAttribute>
        <TextInput
          {...input}
          aria-autocomplete="list"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            onType(event.currentTarget.value)
            setIsWanted(true)
            store.resetSelectedOption()
          }}
          onClick={() => setIsWanted(true)}
          onFocus={(event) => {
            setIsWanted(true)
            onFocus?.(event)
          }}
          onBlur={(event) => {
            setIsWanted(false)
            store.resetSelectedOption()
            onBlur?.(event)
          }}
        />
      </Choices.Target>
      <Choices.Dropdown>
        <Choices.Options aria-label={input.label} mah="25rem" style={{ overflowY: 'auto' }}>
          {options.map(({ value, content }) => (
            <Choices.Option key={value} value={value}>
              {content}
            </Choices.Option>
          ))}
          {options.length === 0 ? <Choices.Empty>{nothingFound}</Choices.Empty> : null}
        </Choices.Options>
      </Choices.Dropdown>
    </Choices>
  )
}
