import { Alert, Anchor, NativeSelect, Paper, Stack, Title } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { useDocument } from '../../api/document.ts'
import { type CallShape, callShape } from '../../calls/call-shape.ts'
import { firstCalls } from '../../calls/first-calls.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Slow } from '../../components/slow.tsx'
import classes from './applications.module.css'
import type { PageMemory } from './page-memory.ts'
import {
  type SubscribedVersion,
  useSubscribedVersions,
  versionName,
} from './subscribed-versions.ts'
import { tabPath } from './tab-path.ts'
import { TryForm } from './try-form.tsx'

export interface TryTabProps {
  readonly applicationId: string
  readonly memory: PageMemory
}

/** Makes a real call through the gateway with one's own key, and shows what comes back. */
export function TryTab({ applicationId, memory }: TryTabProps) {
  const { versions, error } = useSubscribedVersions(applicationId)
  return (
    <Stack gap="lg">
      <Title order={2}>Try it</Title>
      <ProblemAlert error={error} />
      {versions === undefined && error === null ? <Slow /> : null}
      {versions?.length === 0 ? (
        <EmptyState
          title="There is nothing this application may call"
          action={
            <Anchor component={Link} href={tabPath(applicationId, 'subscriptions')}>
              Go to subscriptions
            </Anchor>
          }
        >
          Subscribe it to an API version first.
        </EmptyState>
      ) : null}
      {versions === undefined || versions.length === 0 ? null : (
        <Choice versions={versions} memory={memory} />
      )}
    </Stack>
  )
}

interface ChoiceProps {
  readonly versions: readonly SubscribedVersion[]
  readonly memory: PageMemory
}

function Choice({ versions, memory }: ChoiceProps) {
  const [chosenVersion, setChosenVersion] = useState<string>()
  const [chosenOperation, setChosenOperation] = useState<string>()
  const version = versions.find((each) => each.subscription.id === chosenVersion) ?? versions[0]
  const document = useDocument(version)
  const shape = useMemo(
    () =>
      document.data === undefined
        ? undefined
        : chosenShape(document.data, version, chosenOperation),
    [document.data, version, chosenOperation],
  )

  return (
    <>
      <Alert color="amber" title="This is a real call: it counts against your limit.">
        It goes from this browser to the gateway and on to the bank service, and does there what it
        says.
      </Alert>
      <Paper withBorder p="lg" className={classes['card'] ?? ''}>
        <Stack gap="md">
          <NativeSelect
            label="API version"
            value={version?.subscription.id ?? ''}
            onChange={(event) => {
              setChosenVersion(event.currentTarget.value)
              setChosenOperation(undefined)
            }}
            data={versions.map((each) => ({
              value: each.subscription.id,
              label: versionName(each),
            }))}
            maw="40rem"
          />
          <NativeSelect
            label="Operation"
            value={shape?.operation ?? ''}
            onChange={(event) => setChosenOperation(event.currentTarget.value)}
            data={(version?.operations ?? []).map(({ id, method, summary }) => ({
              value: id,
              label: `${summary} (${method} ${id})`,
            }))}
            maw="40rem"
          />
          {document.isPending ? <Slow label="Loading the document of the version …" /> : null}
          <ProblemAlert error={document.error} onRetry={() => void document.refetch()} />
          {shape === undefined ? null : (
            <TryForm
              key={`${version?.subscription.id} ${shape.operation}`}
              shape={shape}
              paths={(version?.operations ?? []).map(({ path }) => path)}
              memory={memory}
            />
          )}
        </Stack>
      </Paper>
    </>
  )
}

/** The chosen operation; until one is chosen, the one that needs the least. */
function chosenShape(
  document: unknown,
  version: SubscribedVersion | undefined,
  operation: string | undefined,
): CallShape | undefined {
  const operations = version?.operations ?? []
  const listed = operations.find(({ id }) => id === operation)
  if (listed !== undefined) return callShape(document, listed)
  const [first] = operations
  return (
    firstCalls(document, operations)[0] ??
    (first === undefined ? undefined : callShape(document, first))
  )
}
