import { Checkbox, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { MailPreferences as Preferences } from '../../../gateway/portal/schemas/accounts.ts'
import { useMailPreferences } from '../../api/profile.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'

const choices: ReadonlyArray<{
  readonly name: keyof Preferences
  readonly label: string
  readonly description: string
}> = [
  {
    name: 'keys',
    label: 'API keys',
    description: 'When a key of your applications is created, replaced or revoked.',
  },
  {
    name: 'limits',
    label: 'Limits reached',
    description: 'Once a day: the operations that reached their limit.',
  },
  {
    name: 'deprecations',
    label: 'Versions that end',
    description: '90, 30 and 7 days before an API version you subscribe to ends.',
  },
]

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
      {choices.map(({ name, label, description }) => (
        <Checkbox
          key={name}
          label={label}
          description={description}
          checked={shown[name]}
          onChange={(event) => choose({ ...shown, [name]: event.currentTarget.checked })}
        />
      ))}
      <ProblemAlert error={change.error} />
      <Text size="sm" role="status" c="green">
        {change.isSuccess ? 'Saved' : ''}
      </Text>
    </Stack>
  )
}
