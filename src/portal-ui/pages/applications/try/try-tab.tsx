// This folder lets developers make calls from the page. This tab is the playground, with `try-form.tsx` and
// `try-answer.tsx`. `first-application.tsx`, `first-call.tsx`, `next-step.tsx` and `check-list.tsx` lead a new
// developer to the first calls. What a call consists of is in `src/portal-ui/calls/`.

import { NativeSelect, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import { isLongReference } from '../../../../portal/pages/page-paths.ts'
import { useDocument } from '../../../api/document.ts'
import { callShape } from '../../../calls/call-shape.ts'
import { firstCalls } from '../../../calls/first-calls.ts'
import type { NextCall } from '../../../calls/next-calls.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Message } from '../../../components/message.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { Slow } from '../../../components/slow.tsx'
import { plainLink, TextLink } from '../../../components/text-link.tsx'
import { useFacts } from '../../../facts.tsx'
import { tabPath } from '../../../tab-path.ts'
import { t } from '../../../words.ts'
import type { PageMemory } from '../page-memory.ts'
import {
  type SubscribedVersion,
  useSubscribedVersions,
  versionName,
} from '../subscribed-versions.ts'
import { askedCustomer, consentCall } from './asked-customer.ts'
import { OperationPicker } from './operation-picker.tsx'
import classes from './playground.module.css'
import { TryForm } from './try-form.tsx'

export interface TryTabProps {
  readonly applicationId: string
  readonly memory: PageMemory
}

/** Makes a real call through the gateway with the developer's own key and shows the response. */
export function TryTab({ applicationId, memory }: TryTabProps) {
  const { versions, error } = useSubscribedVersions(applicationId)
  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed">
        {t('playground.realCall')}
      </Text>
      <ProblemAlert error={error} />
      {versions === undefined && error === null ? <Slow /> : null}
      {versions?.length === 0 ? (
        <EmptyState
          title={t('playground.empty')}
          action={
            <TextLink href={tabPath(applicationId, 'subscriptions')}>
              {t('playground.goSubscribe')}
            </TextLink>
          }
        >
          {t('playground.subscribeFirst')}
        </EmptyState>
      ) : null}
      {versions === undefined || versions.length === 0 ? null : (
        <Choice applicationId={applicationId} versions={versions} memory={memory} />
      )}
    </Stack>
  )
}

interface ChoiceProps {
  readonly applicationId: string
  readonly versions: readonly SubscribedVersion[]
  readonly memory: PageMemory
}

/** A link that was followed; each one opens its own form. */
interface Followed {
  readonly count: number
  readonly operation: string
  readonly query: NextCall['query']
}

function Choice({ applicationId, versions, memory }: ChoiceProps) {
  const [chosenVersion, setChosenVersion] = useState<string>()
  const [parameters, setParameters] = useSearchParams()
  const [followed, setFollowed] = useState<Followed>({ count: 0, operation: '', query: {} })
  const { hasSandbox } = useFacts()
  const customer = hasSandbox ? askedCustomer(parameters) : undefined
  const askedVersion = parameters.get('version')
  const named = parameters.get('operation')
  const consent = named === null && customer !== undefined ? consentCall(versions) : undefined
  const asked = named ?? consent?.operation.id
  const version =
    versions.find((each) => each.subscription.id === chosenVersion) ??
    consent?.version ??
    versions.find(
      (each) => each.version === askedVersion && each.operations.some(({ id }) => id === asked),
    ) ??
    versions.find((each) => each.operations.some(({ id }) => id === asked)) ??
    versions[0]
  const operations = version?.operations
  const isLong = version !== undefined && isLongReference(version)
  const chosen =
    operations?.find(({ id }) => id === asked) ?? (isLong ? operations?.[0] : undefined)
  const document = useDocument(version, chosen?.id)
  // Of a long reference, only the part of the chosen operation is here: links still lead to the others.
  const shapes = useMemo(
    () =>
      document.data === undefined || operations === undefined
        ? []
        : operations.map((operation) => callShape(document.data, operation)),
    [document.data, operations],
  )
  // Until one is chosen, the one that needs the least.
  const shape =
    shapes.find(({ operation }) => operation === chosen?.id) ?? firstCalls(shapes)[0] ?? shapes[0]
  const choose = (operation: string) => {
    // Other versions may have an operation of the same name.
    setChosenVersion(version?.subscription.id)
    setParameters({ operation })
  }
  const follow = ({ shape: { operation }, ids, query }: NextCall) => {
    memory.learn(ids)
    setFollowed(({ count }) => ({ count: count + 1, operation, query }))
    choose(operation)
  }

  return (
    <>
      {named === null && customer !== undefined && consent === undefined ? (
        <Text size="sm">
          <Message
            id="playground.noConsents"
            tags={{ link: plainLink(tabPath(applicationId, 'subscriptions')) }}
          />
        </Text>
      ) : null}
      <div className={classes['choices']}>
        {versions.length === 1 ? null : (
          <NativeSelect
            label={t('playground.version')}
            value={version?.subscription.id ?? ''}
            onChange={(event) => {
              setChosenVersion(event.currentTarget.value)
            }}
            data={versions.map((each) => ({
              value: each.subscription.id,
              label: versionName(each),
            }))}
          />
        )}
        <OperationPicker
          operations={operations ?? []}
          chosen={shape?.operation ?? asked}
          isDisabled={shape === undefined && !isLong}
          onChoose={choose}
        />
      </div>
      <QueryState query={document} label={t('playground.loading')} />
      {shape === undefined ? null : (
        <TryForm
          key={`${version?.subscription.id} ${shape.operation} ${followed.count}`}
          applicationId={applicationId}
          versionId={version?.subscription.id ?? ''}
          shape={shape}
          shapes={shapes}
          memory={memory}
          query={followed.operation === shape.operation ? followed.query : {}}
          customer={customer}
          onFollow={follow}
        />
      )}
    </>
  )
}
