import { NativeSelect, Stack } from '@mantine/core'
import type { IssuedKey } from '../../../../portal/api/schemas/applications.ts'
import { PasswordField } from '../../../components/password-field.tsx'
import { t } from '../../../words.ts'
import { forThisPage } from '../page-memory.ts'

export interface KeyFieldProps {
  /** Keys created since the page was loaded. */
  readonly keys: readonly IssuedKey[]
  /** A key, or {@link forThisPage}. */
  readonly value: string
  readonly onChange: (key: string) => void
  readonly isMissing: boolean
}

/** Chooses the key for a call: one made for this page, one just created, or one pasted, which the page never stores. */
export function KeyField({ keys, value, onChange, isMissing }: KeyFieldProps) {
  const isPasted = value !== forThisPage && !keys.some(({ key }) => key === value)
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t('playground.apiKey')}
        description={value === forThisPage ? t('playground.pageKeyEnds') : undefined}
        value={isPasted ? '' : value}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={[
          { value: forThisPage, label: t('playground.pageKey') },
          ...keys.map(({ key, name, hint }) => ({ value: key, label: `${name} (${hint})` })),
          { value: '', label: t('playground.anotherKey') },
        ]}
      />
      {isPasted ? (
        <PasswordField
          label={t('playground.anotherKey')}
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
