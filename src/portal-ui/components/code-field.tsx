import { TextInput, type TextInputProps } from '@mantine/core'
import type { Ref } from 'react'

/** A field for the code of an authenticator app; phones offer to fill it in. */
export function CodeField(props: TextInputProps & { readonly ref?: Ref<HTMLInputElement> }) {
  return (
    <TextInput
      label="Code"
      description="Six digits from your authenticator app."
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={7}
      required
      withAsterisk={false}
      {...props}
    />
  )
}
