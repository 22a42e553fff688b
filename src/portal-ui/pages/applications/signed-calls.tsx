import { Checkbox, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { useApplicationUpdate } from '../../api/applications.ts'
import { Confirm } from '../../components/confirm.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'

/** Chooses whether the bank accepts only signed calls of an application. Asks before it turns this on. */
export function SignedCalls({ application }: { readonly application: Application }) {
  const [isAsking, setIsAsking] = useState(false)
  const update = useApplicationUpdate(application.id, () => setIsAsking(false))
  const choose = (strict: boolean) => {
    update.reset()
    if (strict) setIsAsking(true)
    else update.mutate({ strict })
  }
  return (
    <Stack gap="xs" maw="46rem">
      <Checkbox
        label="Signed calls only"
        description="The bank accepts only calls of this application that are signed with one of its certificates."
        checked={application.strict}
        disabled={update.isPending}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      {isAsking ? null : <ProblemAlert error={update.error} />}
      <Text size="sm" role="status" c="green">
        {update.isSuccess ? 'Saved' : ''}
      </Text>
      <Confirm
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Accept only signed calls?"
        action="Accept only signed calls"
        isDangerous
        onConfirm={() => update.mutate({ strict: true })}
        mutation={update}
      >
        <Text>From then on, these calls of this application stop working:</Text>
        <List spacing={4}>
          <List.Item>
            Calls without Digest, Signature and TPP-Signature-Certificate: 401 CERTIFICATE_MISSING.
            The certificate must be one that you added for signing, below. “Try it” and the commands
            on this portal do not sign calls.
          </List.Item>
          <List.Item>
            Payments, consents and mandates without the header fields that the Israeli standard
            makes mandatory: 400.
          </List.Item>
          <List.Item>
            Calls with a redirect address that this application has not registered, below: 400.
          </List.Item>
        </List>
        <Text>You can turn it off again at any time.</Text>
      </Confirm>
    </Stack>
  )
}
