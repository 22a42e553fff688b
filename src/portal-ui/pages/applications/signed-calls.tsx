import { Checkbox, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { useApplicationUpdate } from '../../api/applications.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'

/** Turns on that the bank takes only signed calls of an application, or off; saved at once. */
export function SignedCalls({ application }: { readonly application: Application }) {
  const update = useApplicationUpdate(application.id)
  // What was chosen shows at once, and until the portal has answered.
  const [chosen, setChosen] = useState<boolean>()
  const choose = (strict: boolean) => {
    setChosen(strict)
    update.mutate({ strict }, { onSettled: () => setChosen(undefined) })
  }
  return (
    <Stack gap="xs" maw="46rem">
      <Checkbox
        label="Signed calls only"
        description="The bank then refuses calls of this application without Digest, Signature and TPP-Signature-Certificate, and asks for the header fields that the Israeli standard makes mandatory."
        checked={chosen ?? application.strict}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      <ProblemAlert error={update.error} />
      <Text size="sm" role="status" c="green">
        {update.isSuccess ? 'Saved' : ''}
      </Text>
    </Stack>
  )
}
