import { Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { SignUpMode } from '../../../portal/api/schemas/operator.ts'
import { useSignUpMode, useSignUpModeChange } from '../../api/operator.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { t } from '../../words.ts'

const modes = ['open', 'approval', 'off'] as const satisfies readonly SignUpMode['mode'][]

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
        label={t('signUpMode.title')}
        description={t('signUpMode.applies')}
        value={shown}
        onChange={(value) => {
          const chosen = modes.find((mode) => mode === value)
          if (chosen !== undefined) choose(chosen)
        }}
      >
        <Stack gap="md" mt="md">
          {modes.map((mode) => (
            <Radio
              key={mode}
              value={mode}
              label={t(`signUpMode.${mode}`)}
              description={t(`signUpMode.${mode}Means`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <ProblemAlert error={change.error} />
      <Text size="sm" role="status" c="green">
        {change.isSuccess ? t('form.saved') : ''}
      </Text>
    </Stack>
  )
}
