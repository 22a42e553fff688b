import { Button, Paper, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { pagePaths } from '../../../../portal/pages/page-paths.ts'
import { useKeyCreation, useKeys } from '../../../api/applications.ts'
import { limitCommands, type Step } from '../../../calls/check-list.ts'
import { CopyLine } from '../../../components/copy-line.tsx'
import { Message } from '../../../components/message.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { pageLink, TextLink } from '../../../components/text-link.tsx'
import { useFacts } from '../../../facts.tsx'
import { windowInWords } from '../../../in-words.ts'
import { versionPath } from '../../../published.ts'
import { tabPath } from '../../../tab-path.ts'
import { t } from '../../../words.ts'
import { askToRead } from '../keys/handed-key.ts'
import type { PageMemory } from '../page-memory.ts'
import classes from './check-list.module.css'
import { ReadAccounts } from './read-accounts.tsx'
import { type CheckListState, useCheckList } from './use-check-list.ts'

export interface CheckListProps {
  readonly applicationId: string
  readonly memory: PageMemory
  /** Whether it also shows before the first call. (Default: false) */
  readonly isEarly?: boolean
  /** Called when the developer hides the list: the focus would go with the button. */
  readonly onHidden: () => void
}

/** The first hour with the bank in five steps; it stays until it is done or hidden. */
export function CheckList({ applicationId, memory, isEarly = false, onHidden }: CheckListProps) {
  const list = useCheckList(applicationId, { isEarly })
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
      shadow="xs"
      className={classes['card'] ?? ''}
    >
      <div className={classes['top']}>
        <Title order={2} id="check-list-title">
          {t('checkList.title')}
        </Title>
        <Text size="sm" c="dimmed" role="status" className={classes['progress'] ?? ''}>
          {isDone ? t('checkList.allDone', { count: list.items.length }) : progress(list)}
        </Text>
        <Button variant="subtle" color="gray" size="compact-sm" onClick={hide}>
          {t('checkList.hide')}
        </Button>
      </div>
      {isDone ? (
        <Text className={classes['readOn'] ?? ''}>
          <ReadOn list={list} />
        </Text>
      ) : (
        <Items applicationId={applicationId} list={list} memory={memory} />
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
  const list = useCheckList(applicationId, { isAtUsage })
  if (list === undefined) return null
  const next = list.items.find(({ isDone }) => !isDone)
  if (next === undefined) return null
  return (
    <Text size="sm" component="div">
      <span role="status">
        {t('checkList.title')}: <bdi>{progress(list)}</bdi>
      </span>{' '}
      ·{' '}
      <Message
        id="checkList.next"
        values={{
          step: (
            <TextLink href={stepHref(next.step, applicationId, list)} inherit>
              {t(titles[next.step])}
            </TextLink>
          ),
        }}
      />
    </Text>
  )
}

interface ListProps {
  readonly applicationId: string
  readonly list: CheckListState
  readonly memory: PageMemory
}

function Items({ applicationId, list, memory }: ListProps) {
  const current = list.items.find(({ isDone }) => !isDone)
  return (
    <ol className={classes['steps']} aria-labelledby="check-list-title">
      {list.items.map(({ step, isDone }) => (
        <li key={step} className={classes['step']} data-done={isDone || undefined}>
          <Tick isDone={isDone} />
          <div className={classes['words']}>
            <span className={classes['title']}>
              {t(titles[step])}
              <VisuallyHidden> {t(isDone ? 'checkList.done' : 'checkList.toDo')}</VisuallyHidden>
            </span>
            {step === current?.step ? (
              <Text size="sm" c="dimmed">
                {explained(step, list)}
              </Text>
            ) : null}
            {step === 'limit' && !isDone ? <LimitCommands list={list} /> : null}
          </div>
          {isDone ? null : (
            <div className={classes['action']}>
              <StepAction step={step} applicationId={applicationId} list={list} memory={memory} />
            </div>
          )}
        </li>
      ))}
    </ol>
  )
}

function Tick({ isDone }: { readonly isDone: boolean }) {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" className={classes['tick']}>
      <circle cx="10" cy="10" r="9" />
      {isDone ? <path d="M6 10.3l2.8 2.7L14 7.5" /> : null}
    </svg>
  )
}

interface StepActionProps extends ListProps {
  readonly step: Step
}

function StepAction({ step, applicationId, list, memory }: StepActionProps) {
  const { hasConsent } = list
  const href = stepHref(step, applicationId, list)
  switch (step) {
    case 'call':
      return <FirstRead applicationId={applicationId} list={list} memory={memory} />
    case 'consent':
      return (
        <TextLink href={href}>
          {t(hasConsent ? 'checkList.listAccounts' : 'checkList.createConsent')}
        </TextLink>
      )
    case 'payment':
      return <TextLink href={href}>{t('checkList.initiatePayment')}</TextLink>
    case 'limit':
      return null
    case 'usage':
      return <TextLink href={href}>{t('checkList.openUsage')}</TextLink>
  }
}

/** One click to Noa's accounts: with a key of the application that this page made, or with one for this page. */
function FirstRead({ applicationId, list, memory }: ListProps) {
  const [, navigate] = useLocation()
  const count = useKeys(applicationId).data?.items.length ?? 0
  const creation = useKeyCreation(applicationId, (key) => {
    memory.issue(key)
    askToRead(key.id)
    navigate(tabPath(applicationId, 'keys'))
  })
  const known = memory.keys[0]
  if (known !== undefined || count > 0) {
    return (
      <ReadAccounts
        applicationId={applicationId}
        apiKey={known?.key}
        {...(known === undefined ? {} : { keyId: known.id })}
        memory={memory}
        version={list.version}
        isBare
      />
    )
  }
  return (
    <Stack gap="xs" align="flex-end">
      <Button
        size="compact-sm"
        loading={creation.isPending}
        onClick={() => creation.mutate({ name: t('keys.suggested', { number: 1 }) })}
      >
        {t('checkList.keyAndRead')}
      </Button>
      <ProblemAlert error={creation.error} />
    </Stack>
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
      <summary>{t('checkList.showCommands')}</summary>
      <Stack gap="xs" mt={4}>
        <CopyLine
          text={limitCommands(`${gatewayUrl}${spare.path}`, limit.calls)}
          label={t('checkList.commands')}
        />
        <Text size="sm" c="dimmed">
          {t('checkList.commandsMean', { count: limit.calls, operation: spare.summary })}
        </Text>
      </Stack>
    </details>
  )
}

function ReadOn({ list: { version } }: { readonly list: CheckListState }) {
  return (
    <Message
      id="checkList.readOn"
      tags={{
        reference: (text) => <a href={versionPath(version.api, version.version)}>{text}</a>,
        sandbox: pageLink(pagePaths.sandbox, { inherit: true }),
      }}
    />
  )
}

function progress({ items }: CheckListState): string {
  return t('checkList.progress', {
    done: items.filter(({ isDone }) => isDone).length,
    count: items.length,
  })
}

const titles = {
  call: 'checkList.call',
  consent: 'checkList.consent',
  payment: 'checkList.payment',
  limit: 'checkList.limit',
  usage: 'checkList.usage',
} as const satisfies Record<Step, string>

/** What a step shows. */
function explained(step: Step, { limit }: CheckListState): string {
  switch (step) {
    case 'call':
      return t('checkList.callShows')
    case 'consent':
      return t('checkList.consentShows')
    case 'payment':
      return t('checkList.paymentShows')
    case 'limit':
      return limit === undefined
        ? ''
        : t('checkList.limitShows', { count: limit.calls, window: windowInWords(limit) })
    case 'usage':
      return t('checkList.usageShows')
  }
}

function stepHref(step: Step, applicationId: string, list: CheckListState): string {
  const { operations, hasConsent } = list
  switch (step) {
    case 'call':
      return tabPath(applicationId, 'keys')
    case 'consent':
      return tryPath(applicationId, (hasConsent ? operations.accounts : operations.consent)?.id)
    case 'payment':
      return tryPath(applicationId, operations.payment?.id)
    case 'limit':
      return `${tabPath(applicationId, 'overview')}${limitAnchor}`
    case 'usage':
      return tabPath(applicationId, 'usage')
  }
}

/** The playground with an operation. */
function tryPath(applicationId: string, operation = ''): string {
  const query = new URLSearchParams({ operation })
  return `${tabPath(applicationId, 'playground')}?${query}`
}
