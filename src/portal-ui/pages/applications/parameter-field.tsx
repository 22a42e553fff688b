import { NativeSelect, TextInput } from '@mantine/core'
import { type CallParameter, isFromEarlierAnswer } from '../../calls/call-shape.ts'

export interface ParameterFieldProps {
  readonly parameter: CallParameter
  readonly value: string
  readonly isMissing: boolean
  readonly onChange: (value: string) => void
}

/** The field for one value of a call: a choice where the document lists values, a line of text elsewhere. */
export function ParameterField({ parameter, value, isMissing, onChange }: ParameterFieldProps) {
  const { name, place, isRequired, purpose, example, choices } = parameter
  const shared = {
    label: `${name} (${place})`,
    description: purpose === '' ? undefined : purpose,
    error: isMissing ? 'Enter a value.' : undefined,
    required: isRequired,
    maw: '40rem',
  }
  if (choices.length > 0) {
    const data = isRequired ? [...choices] : [{ value: '', label: 'Not sent' }, ...choices]
    return (
      <NativeSelect
        {...shared}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={data}
      />
    )
  }
  return (
    <TextInput
      {...shared}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      placeholder={isFromEarlierAnswer(parameter) ? 'An id from another response' : example}
      autoComplete="off"
      spellCheck={false}
    />
  )
}
