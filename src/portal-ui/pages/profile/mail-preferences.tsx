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
    name: 'limits',
    label: 'Limits reached',
    description: 'Once a day: the calls that a limit refused.',
  },
  {
    name: 'deprecations',
    label: 'API versions that end',
    description:
      'When a version that you subscribe to becomes deprecated, and 90, 30 and 7 days before it ends.',
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
