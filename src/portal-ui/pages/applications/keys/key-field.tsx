import { NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import type { IssuedKey } from '../../../../portal/api/schemas/applications.ts'
import { PasswordField } from '../../../components/password-field.tsx'
import { t } from '../../../words.ts'

export interface KeyFieldProps {
  /** Keys created since the page was loaded. */
  readonly keys: readonly IssuedKey[]
  readonly value: string
  readonly onChange: (key: string) => void
  readonly isMissing: boolean
}

/** Chooses the key for a call: one just created, or one pasted, which the page never stores. */
export function KeyField({ keys, value, onChange, isMissing }: KeyFieldProps) {
  const [isPasting, setIsPasting] = useState(!keys.some(({ key }) => key === value))
  return (
    <Stack gap="sm">
      {keys.length === 0 ? null : (
        <NativeSelect
          label={t('playground.apiKey')}
          value={isPasting ? '' : value}
          onChange={(event) => {
            setIsPasting(event.currentTarget.value === '')
            onChange(event.currentTarget.value)
          }}
          data={[
            ...keys.map(({ key, name, hint }) => ({ value: key, label: `${name} (${hint})` })),
            { value: '', label: t('playground.anotherKey') },
          ]}
        />
      )}
      {isPasting ? (
        <PasswordField
          label={t(keys.length === 0 ? 'playground.apiKey' : 'playground.anotherKey')}
          description={t('playground.keyStays')}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          error={isMissing ? t('playground.enterKey') : undefined}
          autoComplete="off"
          spellCheck={false}
          required
          holds="key"
        />
      ) : null}
    </Stack>
  )
}
