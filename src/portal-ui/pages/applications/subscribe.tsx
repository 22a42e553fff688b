import { Button, Group, NativeSelect, Paper, Radio, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { Subscription } from '../../../gateway/portal/schemas/applications.ts'
import type { PublishedApis } from '../../../gateway/portal/schemas/catalogue.ts'
import { useSubscribing } from '../../api/applications.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { limitInWords } from '../../in-words.ts'
import classes from './applications.module.css'

export interface SubscribeProps {
  readonly applicationId: string
  readonly apis: PublishedApis
  readonly active: readonly Subscription[]
  readonly onSubscribed: (subscription: Subscription) => void
  readonly onCancel?: () => void
}

/** The form that subscribes an application: an API version, then one of its plans. */
export function Subscribe(props: SubscribeProps) {
  const { applicationId, apis, active, onSubscribed, onCancel } = props
  const open = openVersions(apis, active)
  const [chosen, setChosen] = useState<string>()
  const [chosenPlan, setChosenPlan] = useState<string>()
  const subscribing = useSubscribing(applicationId, onSubscribed)
  const version = open.find(({ name }) => name === chosen) ?? open[0]
  if (version === undefined) {
    return (
      <EmptyState
        title="There is nothing left to subscribe to"
        action={
          onCancel === undefined ? undefined : (
            <Button variant="default" onClick={onCancel}>
              Close
            </Button>
          )
        }
      >
        This application is subscribed to every version that accepts subscriptions.
      </EmptyState>
    )
  }
  const plan = version.plans.find(({ name }) => name === chosenPlan) ?? version.plans[0]

  const subscribe = () => {
    if (plan === undefined || subscribing.isPending) return
    subscribing.mutate({ api: version.api, version: version.version, plan: plan.name })
  }

  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          subscribe()
        }}
      >
        <Stack gap="md">
          <Title order={3}>Subscribe to an API version</Title>
          <NativeSelect
            label="API version"
            value={version.name}
            onChange={(event) => {
              setChosen(event.currentTarget.value)
              setChosenPlan(undefined)
              subscribing.reset()
            }}
            data={open.map(({ name, title, version: number, isDeprecated }) => ({
              value: name,
              label: `${title} ${number}${isDeprecated ? ' (deprecated)' : ''}`,
            }))}
            maw="30rem"
          />
          {version.isDeprecated ? (
            <Text size="sm">
              This version is deprecated
              {version.lifecycle.successor === undefined
                ? '.'
                : `: prefer ${version.lifecycle.successor}.`}
            </Text>
          ) : null}
          <Radio.Group
            label="Plan"
            value={plan?.name ?? ''}
            onChange={(name) => setChosenPlan(name)}
          >
            <Stack gap="xs" mt={6}>
              {version.plans.map(({ name, title, limits }) => (
                <Radio
                  key={name}
                  value={name}
                  label={title}
                  description={limits.map(limitInWords).join('; ')}
                />
              ))}
            </Stack>
          </Radio.Group>
          <ProblemAlert error={subscribing.error} />
          <Group gap="sm">
            <Button type="submit" loading={subscribing.isPending}>
              Subscribe
            </Button>
            {onCancel === undefined ? null : (
              <Button variant="default" onClick={onCancel}>
                Cancel
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}

/** Versions one can still subscribe to, the recommended ones first. */
function openVersions({ items }: PublishedApis, active: readonly Subscription[]) {
  return items
    .flatMap(({ api, versions }) =>
      versions
        .toReversed()
        .map((version) => ({ ...version, api, name: `${api}@${version.version}` })),
    )
    .filter(({ isRetired, plans }) => !isRetired && plans.length > 0)
    .filter(
      ({ api, version }) => !active.some((each) => each.api === api && each.version === version),
    )
    .toSorted((a, b) => Number(a.isDeprecated) - Number(b.isDeprecated))
}
