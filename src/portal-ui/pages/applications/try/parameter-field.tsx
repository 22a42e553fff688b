import { NativeSelect, TextInput } from '@mantine/core'
import type { ChangeEvent } from 'react'
import type { CallParameter } from '../../../calls/call-shape.ts'
import { PasswordField } from '../../../components/password-field.tsx'
import { t } from '../../../words.ts'
import classes from '../applications.module.css'

export interface ParameterFieldProps {
  readonly parameter: CallParameter
  readonly value: string
  readonly isMissing: boolean
  readonly onChange: (value: string) => void
}

/** The field for one value of a call: a choice where the document lists values, else a line of text, masked for a secret. */
export function ParameterField({ parameter, value, isMissing, onChange }: ParameterFieldProps) {
  const { name, place, isRequired, purpose, example, choices, scheme } = parameter
  const shared = {
    label: t('playground.parameter', { name, place: t(`playground.${place}`) }),
    description: purpose === '' ? undefined : purpose,
    error: isMissing ? t('playground.enterValue') : undefined,
    required: isRequired,
  }
  if (choices.length > 0) {
    const data = isRequired
      ? [...choices]
      : [{ value: '', label: t('playground.notSent') }, ...choices]
    return (
      <NativeSelect
        {...shared}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={data}
      />
    )
  }
  const line = {
    ...shared,
    value,
    onChange: (event: ChangeEvent<HTMLInputElement>) => onChange(event.currentTarget.value),
    placeholder: example,
    autoComplete: 'off',
    spellCheck: false,
    dir: 'ltr',
  }
  if (scheme !== undefined) return <PasswordField {...line} holds="key" />
  return <TextInput {...line} classNames={{ input: classes['code'] ?? '' }} />
}
