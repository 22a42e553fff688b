import { TextInput, type TextInputProps } from '@mantine/core'
import type { Ref } from 'react'
import { t } from '../words.ts'

/** A field for the code of an authenticator app; phones offer to fill it in. */
export function CodeField(props: TextInputProps & { readonly ref?: Ref<HTMLInputElement> }) {
  return (
    <TextInput
      label={t('factor.code')}
      description={t('factor.codeHelp')}
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={7}
      required
      dir="ltr"
      styles={{
        input: {
          maxWidth: '10rem',
          fontFamily: 'var(--mantine-font-family-monospace)',
          letterSpacing: '0.2em',
        },
      }}
      {...props}
    />
  )
}
