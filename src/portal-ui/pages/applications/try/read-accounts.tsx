import { Alert, Button, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { ReadyConsent } from '../../../../portal/api/schemas/sandbox.ts'
import { useDocument } from '../../../api/document.ts'
import { useReadyConsent } from '../../../api/sandbox.ts'
import { type CallDraft, withNewRequestId } from '../../../calls/call-draft.ts'
import { callShape } from '../../../calls/call-shape.ts'
import {
  accountsIn,
  accountsOperation,
  draftOfAccounts,
  type ShownAccount,
} from '../../../calls/read-accounts.ts'
import { problemIn } from '../../../calls/readable-body.ts'
import { type CallAnswer, sendCall } from '../../../calls/send-call.ts'
import { DraftCode } from '../../../components/draft-code.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { useFacts } from '../../../facts.tsx'
import { pageLocale, t, words } from '../../../words.ts'
import classes from '../applications.module.css'
import { ProblemDetail } from '../calls/problem-detail.tsx'
import { ProblemTitle } from '../calls/problem-title.tsx'
import { takeAskedRead } from '../keys/handed-key.ts'
import type { PageMemory } from '../page-memory.ts'
import { type SubscribedVersion, useSubscribedVersions } from '../subscribed-versions.ts'

export interface ReadAccountsProps {
  readonly applicationId: string
  /** The key itself; undefined: one for this page. */
  readonly apiKey: string | undefined
  readonly memory: PageMemory
  readonly version: SubscribedVersion
  /** Id of the key: it may be asked to begin without a click. */
  readonly keyId?: string
  /** Only the button and what it shows, for a place that says the rest. (Default: false) */
  readonly isBare?: boolean
  /** Another way to make a call, until this one was made. */
  readonly children?: ReactNode
}

/**
 * The version whose accounts one click reads: null without a sandbox or a version that
 * lists accounts, undefined while loading.
 */
export function useReadableVersion(applicationId: string): SubscribedVersion | null | undefined {
  const { hasSandbox } = useFacts()
  const { versions, error } = useSubscribedVersions(applicationId)
  if (!hasSandbox) return null
  if (versions === undefined) return error === null ? undefined : null
  return versions.find(({ operations }) => accountsOperation(operations) !== undefined) ?? null
}

interface Read {
  readonly psuName: string
  readonly draft: CallDraft
  readonly answer: CallAnswer
}

/** One click to the accounts of a fictional customer. */
export function ReadAccounts(props: ReadAccountsProps) {
  const { applicationId, apiKey, memory, version, keyId, isBare = false, children } = props
  const { gatewayUrl } = useFacts()
  const operation = accountsOperation(version.operations)
  const document = useDocument(version, operation?.id)
  const [read, setRead] = useState<Read>()
  const [isReading, setIsReading] = useState(false)
  const [keyProblem, setKeyProblem] = useState<Error | null>(null)

  const readWith = async (made: ReadyConsent) => {
    if (operation === undefined || document.data === undefined) return
    const { consentId, psuName } = made
    memory.learnReady(made)
    const draft = draftOfAccounts(callShape(document.data, operation), consentId)
    setIsReading(true)
    setKeyProblem(null)
    const call = { gatewayUrl, draft }
    const answer =
      apiKey === undefined
        ? await memory.sendFromPage(call).catch(setKeyProblem)
        : await sendCall({ ...call, key: apiKey })
    if (answer !== undefined) setRead({ psuName, draft, answer })
    setIsReading(false)
  }
  const consent = useReadyConsent(applicationId, (made) => void readWith(made))
  const { mutate } = consent
  const isReady = document.data !== undefined
  useEffect(() => {
    if (isReady && keyId !== undefined && takeAskedRead(keyId)) mutate(undefined)
  }, [keyId, isReady, mutate])

  const isFilled = isBare || memory.isStored
  return (
    <Stack gap="sm">
      {isBare || read !== undefined ? null : (
        <Text maw="44rem">
          {t('accounts.lead')} {t('consent.onlyOne')}
        </Text>
      )}
      <div className={classes['read']}>
        <Button
          {...(isBare || read !== undefined ? { size: 'compact-sm' } : {})}
          onClick={() => consent.mutate(undefined)}
          loading={consent.isPending || isReading}
          disabled={document.data === undefined}
          variant={read === undefined && isFilled ? 'filled' : 'default'}
          className={classes['readButton'] ?? ''}
        >
          {t(read === undefined ? 'accounts.read' : 'accounts.again')}
        </Button>
        <div role="status" className={classes['outcome']}>
          {read === undefined ? null : <Outcome read={read} />}
        </div>
      </div>
      <ProblemAlert error={consent.error ?? keyProblem ?? document.error} />
      {read === undefined || isBare ? children : null}
      {read === undefined || apiKey === undefined || memory.isStored || isBare ? null : (
        <details className={classes['details']}>
          <summary>{t('accounts.asCode')}</summary>
          <DraftCode
            draft={withNewRequestId(read.draft)}
            apiKey={apiKey}
            label={t('accounts.code')}
          />
        </details>
      )}
    </Stack>
  )
}

function Outcome({ read: { psuName, answer } }: { readonly read: Read }) {
  const title = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useEffect(() => {
    // In braces: newer browsers return a promise, which React would call as a clean-up.
    title.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  if (answer.kind !== 'answered') {
    return (
      <Alert color="red" title={t('answer.unreachable')}>
        {t('accounts.checkGateway')}
      </Alert>
    )
  }
  const accounts = accountsIn(answer.body)
  if (answer.status !== 200 || accounts.length === 0) {
    const problem = problemIn(answer, words())
    return (
      <Alert
        color="amber"
        title={
          problem === undefined ? (
            t('accounts.status', { status: String(answer.status) })
          ) : (
            <ProblemTitle {...problem} />
          )
        }
      >
        {problem === undefined ? t('accounts.seeCalls') : <ProblemDetail {...problem} />}
      </Alert>
    )
  }
  return (
    <>
      <Title order={4} ref={title} id={id}>
        {t('accounts.of', { name: psuName })}
      </Title>
      <ul className={classes['accounts']} aria-labelledby={id}>
        {accounts.map((account) => (
          <AccountRow key={account.id} account={account} />
        ))}
      </ul>
    </>
  )
}

function AccountRow({ account }: { readonly account: ShownAccount }) {
  const { name, iban, currency, balance } = account
  return (
    <li className={classes['account']}>
      <span>
        <Text component="span" fw={600}>
          <bdi>{name}</bdi>
        </Text>
        <Text component="span" size="sm" c="dimmed" className={classes['iban'] ?? ''}>
          <bdi>{iban.replace(/(.{4})(?=.)/g, '$1 ')}</bdi> · {currency}
        </Text>
      </span>
      {balance === undefined ? null : (
        <Text component="span" fw={600} className={classes['numbers'] ?? ''}>
          <bdi>{money(balance)}</bdi>
        </Text>
      )}
    </li>
  )
}

function money({ amount, currency }: NonNullable<ShownAccount['balance']>): string {
  const format = new Intl.NumberFormat(pageLocale(), {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  })
  return `${format.format(Number(amount))} ${currency}`
}
