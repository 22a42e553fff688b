import { Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { SignUpMode } from '../../../gateway/portal/schemas/operator.ts'
import { useSignUpMode, useSignUpModeChange } from '../../api/operator.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { QueryState } from '../../components/query-state.tsx'

const modes: ReadonlyArray<{
  readonly mode: SignUpMode['mode']
  readonly label: string
  readonly description: string
}> = [
  {
    mode: 'open',
    label: 'Open',
    description: 'A developer who confirms an email address gets an account at once.',
  },
  {
    mode: 'approval',
    label: 'With approval',
    description:
      'A developer who confirms an email address waits until an operator approves the account under Developers. The portal then emails the developer.',
  },
  {
    mode: 'off',
    label: 'Off',
    description:
      'The portal accepts no new developers. Existing accounts keep working; operators can create accounts on the command line.',
  },
]

/** Opens or closes sign-up; saves each choice at once. */
export function SignUpSection() {
  const current = useSignUpMode()
  const change = useSignUpModeChange()
  // Shows the choice until the portal has answered.
  const [picked, setPicked] = useState<SignUpMode['mode']>()
  if (current.data === undefined) {
    return <QueryState query={current} />
  }
  const shown = picked ?? current.data.mode
  const choose = (mode: SignUpMode['mode']) => {
    setPicked(mode)
    change.mutate(mode, { onSettled: () => setPicked(undefined) })
  }
  return (
    <Stack gap="md" maw="40rem">
      <Radio.Group
        label="Who may sign up"
        description="Applies from the next sign-up on. Existing accounts do not change."
        value={shown}
        onChange={(value) => {
          const chosen = modes.find(({ mode }) => mode === value)
          if (chosen !== undefined) choose(chosen.mode)
        }}
      >
        <Stack gap="md" mt="md">
          {modes.map(({ mode, label, description }) => (
            <Radio key={mode} value={mode} label={label} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      <ProblemAlert error={change.error} />
      <Text size="sm" role="status" c="green">
        {change.isSuccess ? 'Saved' : ''}
      </Text>
    </Stack>
  )
}
