import { Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { SignUpMode } from '../../../gateway/portal/schemas/operator.ts'
import { useSignUpMode, useSignUpModeChange } from '../../api/operator.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Slow } from '../../components/slow.tsx'

const modes: ReadonlyArray<{
  readonly mode: SignUpMode['mode']
  readonly label: string
  readonly description: string
}> = [
  {
    mode: 'open',
    label: 'Open',
    description: 'Whoever confirms a mail address gets an account and can begin at once.',
  },
  {
    mode: 'approval',
    label: 'With approval',
    description:
      'After confirming the address a developer waits until an operator approves the account, under Developers; a mail tells them.',
  },
  {
    mode: 'off',
    label: 'Off',
    description:
      'Nobody can sign up. Those who have an account go on as before; operators can make accounts with the command line.',
  },
]

/** The switch of new sign-ups; a choice is saved at once. */
export function SignUpSection() {
  const current = useSignUpMode()
  const change = useSignUpModeChange()
  // What was chosen shows at once, and until the portal has answered.
  const [picked, setPicked] = useState<SignUpMode['mode']>()
  if (current.data === undefined) {
    return current.isPending ? (
      <Slow />
    ) : (
      <ProblemAlert error={current.error} onRetry={() => void current.refetch()} />
    )
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
        description="Holds from the next sign-up on. Accounts that exist are not touched."
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
