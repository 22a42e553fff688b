import { TextInput, type TextInputProps } from '@mantine/core'
import type { Ref } from 'react'
import { t } from '../../words.ts'

export interface ApplicationNameFieldProps extends TextInputProps {
  readonly ref?: Ref<HTMLInputElement>
}

/** The field for the name of a new application. */
export function ApplicationNameField(props: ApplicationNameFieldProps) {
  return (
    <TextInput
      label={t('createApplication.name')}
      description={t('createApplication.help')}
      autoComplete="off"
      maxLength={100}
      required
      maw="30rem"
      {...props}
    />
  )
}
