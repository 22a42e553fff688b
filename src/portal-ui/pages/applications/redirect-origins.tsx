import { Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { useApplicationUpdate } from '../../api/applications.ts'
import { entriesOf } from '../../components/entries.ts'
import { EntriesArea } from '../../components/entries-area.tsx'
import { Form } from '../../components/form.tsx'

/** Chooses the origins to which the bank may send customers back after an approval. */
export function RedirectOrigins({ application }: { readonly application: Application }) {
  const { id, strict, redirectOrigins } = application
  const form = useForm({ initialValues: { redirectOrigins: redirectOrigins.join('\n') } })
  const update = useApplicationUpdate(id, (saved) =>
    form.setValues({ redirectOrigins: saved.redirectOrigins.join('\n') }),
  )
  return (
    <Stack gap="sm" maw="46rem">
      <Title order={3}>Redirect addresses</Title>
      <Text>
        After an approval, the bank sends your customers back to the address in{' '}
        <code>TPP-Redirect-URI</code>. {inForce(strict, redirectOrigins.length)}
      </Text>
      <Form
        form={form}
        mutation={update}
        label="Redirect addresses"
        onSubmit={(values) => update.mutate({ redirectOrigins: entriesOf(values.redirectOrigins) })}
        action="Save origins"
        beside={
          <Text size="sm" role="status" c="green">
            {update.isSuccess ? 'Origins saved' : ''}
          </Text>
        }
      >
        <EntriesArea
          label="Origins"
          description="Scheme, host and port, one on each line, at most 10: https://app.example. Plain http only for localhost, 127.0.0.1 and [::1]."
          {...form.getInputProps('redirectOrigins')}
          minRows={2}
          maxRows={10}
        />
      </Form>
    </Stack>
  )
}

function inForce(isStrict: boolean, origins: number): string {
  if (origins > 0) return 'It refuses addresses whose origin is not in this list.'
  return isStrict
    ? 'The bank accepts only signed calls of this application, so it refuses every address until you add its origin here.'
    : 'While this list is empty, it accepts every https address.'
}
