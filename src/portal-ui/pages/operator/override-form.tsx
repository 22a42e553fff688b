import { Button, Group, NativeSelect, Paper, Stack, TextInput, Title } from '@mantine/core'
import { useRef, useState } from 'react'
import type { Subscription } from '../../../gateway/portal/schemas/applications.ts'
import type { PublishedApis, PublishedLimit } from '../../../gateway/portal/schemas/catalogue.ts'
import { useApis } from '../../api/catalogue.ts'
import { isProblem } from '../../api/client.ts'
import { useOverrideCreation } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { fieldErrors, focusFirstInvalid, formError } from '../../components/field-errors.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Slow } from '../../components/slow.tsx'
import { wholeNumber, windowInWords } from '../../in-words.ts'
import classes from './operator.module.css'

const fields = ['api', 'version', 'limit', 'calls', 'reason', 'expiresAt'] as const

interface Choice {
  readonly subscription: Subscription
  readonly limit: PublishedLimit
}

export interface OverrideFormProps {
  readonly applicationId: string
  /** The current limits, at least one. */
  readonly subscriptions: readonly Subscription[]
  readonly onDone: () => void
}

/** Replaces the number of calls of one limit of one subscription until a date. */
export function OverrideForm(props: OverrideFormProps) {
  const apis = useApis()
  if (apis.data === undefined) {
    return apis.isPending ? (
      <Slow />
    ) : (
      <ProblemAlert error={apis.error} onRetry={() => void apis.refetch()} />
    )
  }
  return <Fields {...props} choices={choicesOf(props.subscriptions, apis.data)} />
}

function Fields({
  applicationId,
  choices,
  onDone,
}: OverrideFormProps & { readonly choices: readonly Choice[] }) {
  const [chosen, setChosen] = useState(0)
  const [calls, setCalls] = useState('')
  const [reason, setReason] = useState('')
  const [until, setUntil] = useState('')
  const [isTried, setIsTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const creation = useOverrideCreation(applicationId)
  const errors = fieldErrors(creation.error, fields)
  const atLimit = isProblem(creation.error, 'CONFLICT')
    ? (creation.error.problem.detail ?? creation.error.problem.title)
    : (errors.api ?? errors.version ?? errors.limit)
  const given = (value: string) => (isTried && value === '' ? 'Fill in this field.' : undefined)
  const choice = choices[chosen]
  if (choice === undefined) {
    return (
      <EmptyState title="No limit to override">
        The plans of this application have no limits.
      </EmptyState>
    )
  }

  const create = () => {
    if (creation.isPending) return
    setIsTried(true)
    if ([calls, until, reason].includes('')) {
      focusFirstInvalid(form.current)
      return
    }
    const { subscription, limit } = choice
    creation.mutate(
      {
        api: subscription.api,
        version: subscription.version,
        limit: limit.name,
        // The portal refuses invalid numbers.
        calls: /^\d{1,10}$/.test(calls.trim()) ? Number(calls) : 0,
        reason,
        expiresAt: instantOf(until),
      },
      { onSuccess: onDone, onError: () => focusFirstInvalid(form.current) },
    )
  }

  return (
    <Paper withBorder p="lg">
      <form
        ref={form}
        noValidate
        onChange={() => {
          if (creation.isError) creation.reset()
        }}
        onSubmit={(event) => {
          event.preventDefault()
          create()
        }}
      >
        <Stack gap="md">
          <Title order={3}>Override a limit</Title>
          <div className={classes['fields']}>
            <NativeSelect
              label="Limit"
              description="From a plan that this application is subscribed to."
              value={chosen}
              onChange={(event) => setChosen(Number(event.currentTarget.value))}
              data={choices.map(({ subscription: { api, version, plan }, limit }, index) => ({
                value: String(index),
                label: `${api} ${version}: ${limit.name} (${plan})`,
              }))}
              error={atLimit}
            />
            <TextInput
              label="Calls"
              description={`Per ${windowInWords(choice.limit.windowSeconds)}; the plan says ${wholeNumber(choice.limit.calls)}.`}
              inputMode="numeric"
              value={calls}
              onChange={(event) => setCalls(event.currentTarget.value)}
              error={given(calls) ?? errors.calls}
              autoComplete="off"
              maxLength={10}
              required
            />
            <TextInput
              label="Until"
              description="Your local time."
              type="datetime-local"
              value={until}
              onChange={(event) => setUntil(event.currentTarget.value)}
              error={given(until) ?? errors.expiresAt}
              required
            />
          </div>
          <TextInput
            label="Reason"
            description="Operators read it here and in the audit log."
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            error={given(reason) ?? errors.reason}
            autoComplete="off"
            maxLength={500}
            required
          />
          <ProblemAlert error={atLimit === undefined ? formError(creation.error, fields) : null} />
          <Group gap="sm">
            <Button type="submit" loading={creation.isPending}>
              Override limit
            </Button>
            <Button variant="default" onClick={onDone}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}

function choicesOf(subscriptions: readonly Subscription[], apis: PublishedApis): Choice[] {
  return subscriptions.flatMap((subscription) =>
    (
      apis.items
        .find(({ api }) => api === subscription.api)
        ?.versions.find(({ version }) => version === subscription.version)
        ?.plans.find(({ name }) => name === subscription.plan)?.limits ?? []
    ).map((limit) => ({ subscription, limit })),
  )
}

/** @param text of a field for local time @returns ISO 8601 in UTC; an invalid text unchanged, which the portal refuses */
function instantOf(text: string): string {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? text : at.toISOString()
}
