import { Checkbox, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { MailPreferences as Preferences } from '../../../portal/api/schemas/accounts.ts'
import { useMailPreferences } from '../../api/profile.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { t } from '../../words.ts'

const choices = [
  'limits',
  'expiry',
  'deprecations',
] as const satisfies readonly (keyof Preferences)[]

/** Chooses the optional mails; saves each choice at once. */
export function MailPreferences({ mails }: { readonly mails: Preferences }) {
  const change = useMailPreferences()
  // Shows the choice until the portal has answered.
  const [chosen, setChosen] = useState<Preferences>()
  const shown = chosen ?? mails
  const choose = (preferences: Preferences) => {
    setChosen(preferences)
    change.mutate(preferences, { onSettled: () => setChosen(undefined) })
  }
  return (
    <Stack gap="md">
      {choices.map((name) => (
        <Checkbox
          key={name}
          label={t(`mails.${name}`)}
          description={t(`mails.${name}When`)}
          checked={shown[name]}
          onChange={(event) => choose({ ...shown, [name]: event.currentTarget.checked })}
        />
      ))}
      <ProblemAlert error={change.error} />
      <Text size="sm" role="status" c="green">
        {change.isSuccess ? t('form.saved') : ''}
      </Text>
    </Stack>
  )
}
