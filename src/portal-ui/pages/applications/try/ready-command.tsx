import { NativeSelect, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { isLongReference } from '../../../../portal/pages/page-paths.ts'
import { useDocument } from '../../../api/document.ts'
import { draftCall } from '../../../calls/call-draft.ts'
import { type CallShape, callShape } from '../../../calls/call-shape.ts'
import { firstCalls } from '../../../calls/first-calls.ts'
import { DraftCode } from '../../../components/draft-code.tsx'
import { Message } from '../../../components/message.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { Slow } from '../../../components/slow.tsx'
import { pageLink } from '../../../components/text-link.tsx'
import { tabPath } from '../../../tab-path.ts'
import { nameAsText, t } from '../../../words.ts'
import {
  type SubscribedVersion,
  useSubscribedVersions,
  versionName,
} from '../subscribed-versions.ts'

export interface ReadyCommandProps {
  readonly applicationId: string
  /** The key itself. */
  readonly apiKey: string
}

/** Code that works as pasted, for an operation that needs nothing made before. */
export function ReadyCommand({ applicationId, apiKey }: ReadyCommandProps) {
  const { versions, error } = useSubscribedVersions(applicationId)
  return (
    <Stack gap="sm" mt="xs">
      <ProblemAlert error={error} />
      {versions === undefined && error === null ? <Slow /> : null}
      {versions?.length === 0 ? (
        <Text>
          <Message
            id="command.notSubscribed"
            tags={{ link: pageLink(tabPath(applicationId, 'subscriptions')) }}
          />
        </Text>
      ) : null}
      {versions === undefined || versions.length === 0 ? null : (
        <Choice applicationId={applicationId} apiKey={apiKey} versions={versions} />
      )}
    </Stack>
  )
}

interface ChoiceProps extends ReadyCommandProps {
  readonly versions: readonly SubscribedVersion[]
}

function Choice({ applicationId, apiKey, versions }: ChoiceProps) {
  const [chosenVersion, setChosenVersion] = useState<string>()
  const [chosenOperation, setChosenOperation] = useState<string>()
  const version = versions.find((each) => each.subscription.id === chosenVersion) ?? versions[0]
  const isLong = version !== undefined && isLongReference(version)
  // Of a long reference only the chosen operation is here: the others are offered by their paths.
  const operations = version?.operations
  const offered = useMemo(
    () => (operations ?? []).filter(({ path }) => !(isLong && path.includes('{'))),
    [operations, isLong],
  )
  const document = useDocument(version, chosenOperation ?? offered[0]?.id)
  const shapes = useMemo(() => {
    if (document.data === undefined && !isLong) return []
    const all = offered.map((each) => callShape(document.data, each))
    return isLong ? all : firstCalls(all)
  }, [document.data, isLong, offered])
  const shape = shapes.find(({ operation }) => operation === chosenOperation) ?? shapes[0]

  return (
    <>
      {versions.length === 1 ? null : (
        <NativeSelect
          label={t('plans.version')}
          value={version?.subscription.id ?? ''}
          onChange={(event) => {
            setChosenVersion(event.currentTarget.value)
            setChosenOperation(undefined)
          }}
          data={versions.map((each) => ({ value: each.subscription.id, label: versionName(each) }))}
          maw="30rem"
        />
      )}
      <QueryState query={document} />
      {shapes.length > 1 ? (
        <NativeSelect
          label={t('calls.operation')}
          value={shape?.operation ?? ''}
          onChange={(event) => setChosenOperation(event.currentTarget.value)}
          data={shapes.map(({ operation, method, summary }) => ({
            value: operation,
            label: nameAsText(`${summary} (${method})`),
          }))}
          maw="30rem"
        />
      ) : null}
      {shapes.length === 1 ? (
        <Text>
          <bdi>{shape?.summary}</bdi>:
        </Text>
      ) : null}
      {shape === undefined || document.data === undefined ? null : (
        <Command shape={shape} apiKey={apiKey} />
      )}
      {document.data === undefined ? null : (
        <Text size="sm" c="dimmed">
          <Message
            id={shape === undefined ? 'command.allNeedIds' : 'command.hasKey'}
            tags={{ link: pageLink(tabPath(applicationId, 'playground'), { inherit: true }) }}
          />
        </Text>
      )}
    </>
  )
}

function Command({ shape, apiKey }: { readonly shape: CallShape; readonly apiKey: string }) {
  // Once per operation: the request id must not change while the developer copies the code.
  const draft = useMemo(() => draftCall(shape), [shape])
  return <DraftCode draft={draft} apiKey={apiKey} label={t('command.label')} />
}
