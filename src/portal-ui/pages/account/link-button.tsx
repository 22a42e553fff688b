import { Button, Stack } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import type { TokenUse } from '../../../portal/api/schemas/accounts.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'

export interface LinkButtonProps {
  readonly token: string
  readonly mutation: UseMutationResult<unknown, Error, TokenUse>
  readonly action: string
}

/** Uses a mail's link upon a click, because mail scanners open links too. */
export function LinkButton({ token, mutation, action }: LinkButtonProps) {
  return (
    <Stack gap="md" align="flex-start">
      <ProblemAlert error={mutation.error} />
      <Button loading={mutation.isPending} onClick={() => mutation.mutate({ token })}>
        {action}
      </Button>
    </Stack>
  )
}
