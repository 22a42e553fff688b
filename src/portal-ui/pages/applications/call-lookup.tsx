import { Button, List, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { useCallsWithId } from '../../api/calls.ts'
import { focusFirstInvalid } from '../../components/field-errors.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Slow } from '../../components/slow.tsx'
import { counted } from '../../in-words.ts'
import classes from './applications.module.css'
import { CallRecords } from './call-records.tsx'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Finds the developer's own calls by their X-Request-ID. */
export function CallLookup({ applicationId }: { readonly applicationId: string }) {
  const [search] = useSearchParams()
  const asked = search.get('request') ?? ''
  const form = useForm({
    initialValues: { requestId: asked },
    validate: {
      requestId: (typed) =>
        uuid.test(plain(typed)) ? null : 'Enter a UUID: 32 hexadecimal digits in five groups.',
    },
  })
  const [wanted, setWanted] = useState(uuid.test(asked) ? asked : '')
  const element = useRef<HTMLFormElement>(null)
  const found = useCallsWithId(applicationId, wanted)

  const lookUp = ({ requestId }: { requestId: string }) => {
    if (plain(requestId) === wanted) void found.refetch()
    else setWanted(plain(requestId))
  }

  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <Stack gap="md">
        <Title order={2}>Look up a call</Title>
        <form
          ref={element}
          noValidate
          onSubmit={form.onSubmit(lookUp, () => focusFirstInvalid(element.current))}
          className={classes['lookup'] ?? ''}
        >
          <TextInput
            label="X-Request-ID"
            description="A UUID: the one you sent, or “instance” of an error."
            placeholder="99391c7e-ad88-49ec-a2ad-99ddcb1f7721"
            {...form.getInputProps('requestId')}
            // Above the field, so that the button stays beside it.
            inputWrapperOrder={['label', 'description', 'error', 'input']}
            autoComplete="off"
            spellCheck={false}
            className={classes['lookupField'] ?? ''}
          />
          <Button type="submit" loading={found.isFetching}>
            Look up
          </Button>
        </form>
        {wanted !== '' && found.isPending ? <Slow label="Looking …" /> : null}
        <ProblemAlert error={found.error} />
        <div role="status" className={classes['status']}>
          {found.data === undefined ? null : found.data.items.length === 0 ? (
            <Nothing requestId={wanted} />
          ) : (
            <Text>
              {counted(found.data.items.length, 'call')} with{' '}
              <code className={classes['wrap']}>{wanted}</code>
            </Text>
          )}
        </div>
        <CallRecords records={found.data?.items ?? []} label="Calls found" areOpen />
      </Stack>
    </Paper>
  )
}

/** Without what may stand before a UUID. */
function plain(typed: string): string {
  return typed.trim().replace(/^urn:uuid:/i, '')
}

function Nothing({ requestId }: { readonly requestId: string }) {
  return (
    <Stack gap="xs">
      <Text fw={600}>
        Nothing is known of <code className={classes['wrap']}>{requestId}</code>. That can mean:
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>The call ended a moment ago. Look again in a few seconds.</List.Item>
        <List.Item>It is older than 24 hours, or more than 1,000 calls followed it.</List.Item>
        <List.Item>
          It was made with a key of another application, or without a valid key.
        </List.Item>
        <List.Item>It never reached the gateway.</List.Item>
      </List>
    </Stack>
  )
}
