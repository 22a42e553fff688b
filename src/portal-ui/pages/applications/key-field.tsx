import { NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import type { IssuedKey } from '../../../gateway/portal/schemas/applications.ts'
import { PasswordField } from '../../components/password-field.tsx'

export interface KeyFieldProps {
  /** Keys made on this page, which it still knows. */
  readonly keys: readonly IssuedKey[]
  readonly value: string
  readonly onChange: (key: string) => void
  readonly isMissing: boolean
}

/** Which key a call is made with: one just made, or one pasted, which is kept nowhere. */
export function KeyField({ keys, value, onChange, isMissing }: KeyFieldProps) {
  const [isPasting, setIsPasting] = useState(!keys.some(({ key }) => key === value))
  return (
    <Stack gap="sm">
      {keys.length === 0 ? null : (
        <NativeSelect
          label="API key"
          value={isPasting ? '' : value}
          onChange={(event) => {
            setIsPasting(event.currentTarget.value === '')
            onChange(event.currentTarget.value)
          }}
          data={[
            ...keys.map(({ key, name, hint }) => ({ value: key, label: `${name} (${hint})` })),
            { value: '', label: 'Another key' },
          ]}
          maw="40rem"
        />
      )}
      {isPasting ? (
        <PasswordField
          label={keys.length === 0 ? 'API key' : 'Another key'}
          description="Stays in this page until you leave it and is sent to the gateway only."
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          error={isMissing ? 'Must have a value.' : undefined}
          autoComplete="off"
          spellCheck={false}
          required
          maw="40rem"
          holds="key"
        />
      ) : null}
    </Stack>
  )
}
