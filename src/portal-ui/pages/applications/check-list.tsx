import { Anchor, Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { limitCommands, type Step } from '../../calls/check-list.ts'
import { CopyLine } from '../../components/copy-line.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { useFacts } from '../../facts.tsx'
import { counted, windowInWords } from '../../in-words.ts'
import { referencePath } from '../../published.ts'
import { tabPath } from '../../tab-path.ts'
import classes from './check-list.module.css'
import { type CheckListState, useCheckList } from './use-check-list.ts'

export interface CheckListProps {
  readonly applicationId: string
  /** Called when the developer hides the list: the focus would go with the button. */
  readonly onHidden: () => void
}

/** What to do after the first call; it stays until it is done or hidden. */
export function CheckList({ applicationId, onHidden }: CheckListProps) {
  const list = useCheckList(applicationId, false)
  if (list === undefined) return null
  const hide = () => {
    list.hide()
    onHidden()
  }
  const isDone = list.items.every((item) => item.isDone)
  return (
    <Paper
      component="section"
      aria-labelledby="check-list-title"
      withBorder
      p="lg"
      className={classes['card'] ?? ''}
    >
      <Group justify="space-between" gap="xs">
        <Title order={2} size="h3" id="check-list-title">
          Get to know the bank
        </Title>
        <Button variant="default" size="compact-sm" onClick={hide}>
          Hide this list
        </Button>
      </Group>
      {isDone ? (
        <Text>
          <span role="status">All {list.items.length} done.</span> <ReadOn list={list} />
        </Text>
      ) : (
        <>
          <Text role="status">
            <bdi>{progress(list)}</bdi>
          </Text>
          <Items applicationId={applicationId} list={list} />
        </>
      )}
    </Paper>
  )
}

/** The check list in one line, for the tabs that it leads to. */
export function CheckListLine({
  applicationId,
  isAtUsage,
}: {
  readonly applicationId: string
  readonly isAtUsage: boolean
}) {
  const list = useCheckList(applicationId, isAtUsage)
  if (list === undefined) return null
  const next = list.items.find(({ isDone }) => !isDone)
  if (next === undefined) return null
  const { title } = stepWords(next.step, list)
  return (
    <Text size="sm">
      <span role="status">Get to know the bank: {progress(list)}.</span> Next:{' '}
      <TextLink href={stepHref(next.step, applicationId, list)} inherit>
        {title}
      </TextLink>
    </Text>
  )
}

interface ListProps {
  readonly applicationId: string
  readonly list: CheckListState
}

function Items({ applicationId, list }: ListProps) {
  return (
    <ul className={classes['steps']} aria-labelledby="check-list-title">
      {list.items.map(({ step, isDone }) => {
        const { title, shows, action } = stepWords(step, list)
        return (
          <li key={step} className={classes['step']}>
            <Badge color={isDone ? 'green' : 'gray'} className={classes['state'] ?? ''}>
              {isDone ? 'Done' : 'To do'}
            </Badge>
            <div className={classes['words']}>
              <Text fw={600}>{title}</Text>
              <Text>
                {shows}{' '}
                {action === undefined ? null : (
                  <TextLink href={stepHref(step, applicationId, list)} inherit>
                    {action}
                  </TextLink>
                )}
              </Text>
              {step === 'limit' && !isDone ? <LimitCommands list={list} /> : null}
            </div>
          </li>
        )
      })}
    </ul>
  )
}

/** Part of the address that opens the commands of the step `limit`. */
const limitAnchor = '#reach-a-limit'

function LimitCommands({ list: { operations, limit } }: { readonly list: CheckListState }) {
  const { gatewayUrl } = useFacts()
  const details = useRef<HTMLDetailsElement>(null)
  const isAsked = window.location.hash === limitAnchor
  useEffect(() => {
    // In braces: newer browsers return a promise, which React would call as a clean-up.
    if (isAsked) {
      details.current?.scrollIntoView({ block: 'center' })
    }
  }, [isAsked])
  const { spare } = operations
  if (spare === undefined || limit === undefined) return null
  return (
    <details ref={details} className={classes['commands']} open={isAsked}>
      <summary>Show the commands</summary>
      <Stack gap="xs" mt={4}>
        <CopyLine
          text={limitCommands(`${gatewayUrl}${spare.path}`, limit.calls)}
          label="commands that reach a limit"
        />
        <Text size="sm" c="dimmed">
          The first {counted(limit.calls, 'call')} print 400, because they name no consent. They
          count all the same, so the last one prints 429. Only “{spare.summary}” is used up then.
        </Text>
      </Stack>
    </details>
  )
}

function ReadOn({ list: { version } }: { readonly list: CheckListState }) {
  return (
    <>
      Read on:{' '}
      <Anchor href={referencePath(version.api, version.version)} inherit underline="always">
        every operation with samples
      </Anchor>
      , and{' '}
      <TextLink href={pagePaths.sandbox} inherit>
        how to reach every state in the sandbox
      </TextLink>
      .
    </>
  )
}

function progress({ items }: CheckListState): string {
  return `${items.filter(({ isDone }) => isDone).length} of ${items.length} done`
}

interface StepWords {
  readonly title: string
  /** What the step shows. */
  readonly shows: string
  /** Text of the link; undefined for the step that has commands instead. */
  readonly action?: string
}

function stepWords(step: Step, { limit, hasConsent }: CheckListState): StepWords {
  switch (step) {
    case 'call':
      return {
        title: 'Make a first call',
        shows: 'Your key works, and the portal records what became of each call.',
        action: 'See your calls',
      }
    case 'consent':
      return {
        title: 'Read accounts with a consent of your own',
        shows: 'Ask for a consent, approve it at the bank as Noa Levi, then list the accounts.',
        action: hasConsent ? 'List accounts' : 'Create a consent',
      }
    case 'payment':
      return {
        title: 'Make a payment',
        shows:
          'Ask for a payment and approve it as Noa Levi. The example is dated a week ahead: until then its status is ACTC or ACWC, approved. Without requestedExecutionDate, the bank starts it within seconds.',
        action: 'Initiate a payment',
      }
    case 'limit':
      return {
        title: 'Reach a limit',
        shows:
          limit === undefined
            ? ''
            : `After ${counted(limit.calls, 'call')} per ${windowInWords(limit)} to one operation, the gateway answers 429.`,
      }
    case 'usage':
      return {
        title: 'See what is left',
        shows: 'Usage shows how many calls each operation has left, and when the count resets.',
        action: 'Open usage',
      }
  }
}

function stepHref(step: Step, applicationId: string, list: CheckListState): string {
  const { operations, hasConsent } = list
  switch (step) {
    case 'call':
      return tabPath(applicationId, 'calls')
    case 'consent':
      return tryPath(applicationId, (hasConsent ? operations.accounts : operations.consent)?.id)
    case 'payment':
      return tryPath(applicationId, operations.payment?.id)
    case 'limit':
      return `${tabPath(applicationId, 'keys')}${limitAnchor}`
    case 'usage':
      return tabPath(applicationId, 'usage')
  }
}

/** Try it with an operation whose customer approves on the bank's page. */
function tryPath(applicationId: string, operation = ''): string {
  const wish = new URLSearchParams({ operation, approval: 'redirect' })
  return `${tabPath(applicationId, 'try')}?${wish}`
}
