import { TextInput, type TextInputProps } from '@mantine/core'
import { t } from '../words.ts'

/** The field for the address of an account. */
export function EmailField(props: TextInputProps) {
  return (
    <TextInput
      label={t('account.email')}
      type="email"
      spellCheck={false}
      maxLength={254}
      required
      {...props}
    />
  )
}
