import { Button, Group, NativeSelect, Stack, Text, Textarea, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useApprovedConsents } from '../../../api/sandbox.ts'
import {
  type CallDraft,
  draftCall,
  idsIn,
  missingValues,
  valueKey,
  withNewRequestId,
} from '../../../calls/call-draft.ts'
import {
  type CallParameter,
  type CallShape,
  drillHeader,
  isFromEarlierAnswer,
} from '../../../calls/call-shape.ts'
import { idName } from '../../../calls/id-name.ts'
import { laidOutJson } from '../../../calls/json-text.ts'
import { type NextCall, type WaysOn as Ways, waysOn } from '../../../calls/next-calls.ts'
import { listsAccounts } from '../../../calls/read-accounts.ts'
import { type CallAnswer, sendCall } from '../../../calls/send-call.ts'
import { focusFirstInvalid } from '../../../components/field-errors.ts'
import { MethodBadge } from '../../../components/method-badge.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { useFacts } from '../../../facts.tsx'
import { t } from '../../../words.ts'
import classes from '../applications.module.css'
import { KeyField } from '../keys/key-field.tsx'
import { forThisPage, type PageMemory, secretName } from '../page-memory.ts'
import { ApprovalChoice, approvalInApp, approvalOnPage } from './approval-choice.tsx'
import type { AskedCustomer } from './asked-customer.ts'
import { CallCode } from './call-code.tsx'
import { DrillField } from './drill-field.tsx'
import { IdField } from './id-field.tsx'
import { ParameterField } from './parameter-field.tsx'
import playground from './playground.module.css'
import { TryAnswer } from './try-answer.tsx'

export interface TryFormProps {
  readonly applicationId: string
  /** Any id of the version: each asks for secrets of its own. */
  readonly versionId: string
  readonly shape: CallShape
  /** All operations of the version, to recognise links to operations. */
  readonly shapes: readonly CallShape[]
  readonly memory: PageMemory
  /** Values of the query that a followed link asks for, by name. */
  readonly query: Readonly<Record<string, string>>
  /** The customer who is to approve; undefined: the one who signs in at the bank's page. */
  readonly customer: AskedCustomer | undefined
  readonly onFollow: (call: NextCall) => void
}

/** Fills in one call, sends it and shows the response beside it. */
export function TryForm(props: TryFormProps) {
  const { applicationId, versionId, shape, shapes, memory, query, customer, onFollow } = props
  const { gatewayUrl, hasSandbox } = useFacts()
  const [draft, setDraft] = useState(() => {
    const plain = draftCall(shape, memory.ids, query)
    // The sandbox has a page where its customers approve; each other way needs more calls.
    const onPage = hasSandbox ? approvalOnPage(shape) : {}
    const approval = customer === undefined ? onPage : approvalInApp(shape, customer)
    return { ...plain, values: { ...plain.values, ...keptSecrets(props), ...approval } }
  })
  const key = memory.triedKey ?? memory.keys[0]?.key ?? forThisPage
  const [isChecked, setIsChecked] = useState(false)
  const [isSending, setIsSending] = useState(false)
  const [answer, setAnswer] = useState<CallAnswer>()
  const [keyProblem, setKeyProblem] = useState<Error | null>(null)
  const [ways, setWays] = useState<Ways>()
  const answerPane = useRef<HTMLDivElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const missing = isChecked ? missingValues(draft) : []
  const approved = useApprovedConsents(
    applicationId,
    hasSandbox && ways?.approvalPage !== undefined,
  ).data?.items.filter(({ consentStatus }) => consentStatus === 'valid')
  const approvedCall = ways?.calls.find(
    ({ shape: next, ids }) =>
      listsAccounts(next) &&
      approved?.some(({ consentId }) => consentId === ids[idName('Consent-ID')]),
  )

  const setValues = (values: CallDraft['values']) => {
    setDraft((old) => ({ ...old, values: { ...old.values, ...values } }))
  }

  // On a phone the answer is below the request.
  useEffect(() => {
    if (answer !== undefined) answerPane.current?.scrollIntoView({ block: 'nearest' })
  }, [answer])

  const send = async () => {
    if (isSending) return
    setIsChecked(true)
    if (key.trim() === '' || missingValues(draft).length > 0) {
      focusFirstInvalid(form.current)
      return
    }
    setIsSending(true)
    setKeyProblem(null)
    const call = { gatewayUrl, draft }
    const result =
      key === forThisPage
        ? await memory.sendFromPage(call).catch(setKeyProblem)
        : await sendCall({ ...call, key: key.trim() })
    setIsSending(false)
    if (result === undefined) return
    setAnswer(result)
    setWays(undefined)
    if (result.kind === 'answered') {
      const ids = idsIn(result.body, shapes)
      memory.learn(ids)
      if (result.status === 401 && result.body.includes('"CONSENT_EXPIRED"')) {
        memory.unlearn(idName('Consent-ID'), draft.values['header Consent-ID'] ?? '')
      }
      if (result.status < 300) setWays(waysOn(result.body, ids, shapes))
      setDraft(withNewRequestId)
    }
  }

  const fields = (parameters: readonly CallParameter[]) =>
    parameters.map((parameter) => {
      const name = valueKey(parameter)
      const shared = {
        parameter,
        value: draft.values[name] ?? '',
        isMissing: missing.includes(parameter.name),
        onChange: (value: string) => {
          setValues({ [name]: value })
          const { scheme } = parameter
          if (scheme !== undefined) memory.keepSecret(secretName(versionId, scheme), value)
        },
      }
      return isFromEarlierAnswer(parameter) ? (
        <IdField key={name} {...shared} applicationId={applicationId} memory={memory} />
      ) : (
        <ParameterField key={name} {...shared} />
      )
    })
  const needed = shape.parameters.filter(({ isRequired, place }) => isRequired || place === 'query')
  const drill = shape.parameters.find(({ name }) => name === drillHeader)
  const optional = shape.parameters.filter(
    (parameter) => !needed.includes(parameter) && parameter !== drill,
  )

  return (
    <div className={playground['panes']}>
      <form
        ref={form}
        noValidate
        aria-label={t('playground.request')}
        className={playground['pane']}
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <div className={playground['target']}>
          <div dir="ltr" className={playground['address']}>
            <MethodBadge method={shape.method} />
            <span>{`${gatewayUrl}${shape.path}`}</span>
          </div>
          <Button type="submit" loading={isSending} className={playground['send'] ?? ''}>
            {t('playground.send')}
          </Button>
        </div>
        <Stack gap="md" className={playground['inside'] ?? ''}>
          <KeyField
            keys={memory.keys}
            value={key}
            onChange={memory.tryWith}
            isMissing={isChecked && key.trim() === ''}
          />
          <ProblemAlert error={keyProblem} />
          {needed.length === 0 ? null : (
            <Title order={2} size="h3">
              {t('playground.values')}
            </Title>
          )}
          {shape.parameters.some(isFromEarlierAnswer) ? (
            <Text size="sm" c="dimmed">
              {t('playground.idsAreFilledIn')}
            </Text>
          ) : null}
          {fields(needed)}
          <ApprovalChoice shape={shape} values={draft.values} onChange={setValues} />
          {drill === undefined ? null : (
            <DrillField
              parameter={drill}
              value={draft.values[valueKey(drill)] ?? ''}
              onChange={(value) => setValues({ [valueKey(drill)]: value })}
            />
          )}
          {optional.length === 0 ? null : (
            <details className={classes['details']}>
              <summary>{t('playground.optional', { count: optional.length })}</summary>
              <Stack gap="md" mt="sm">
                {fields(optional)}
              </Stack>
            </details>
          )}
          {shape.body === undefined ? null : (
            <Body
              shape={shape}
              value={draft.body}
              onChange={(body) => setDraft((old) => ({ ...old, body }))}
            />
          )}
        </Stack>
      </form>
      <div ref={answerPane} className={`${playground['pane']} ${playground['answer']}`}>
        <TryAnswer
          answer={answer}
          isSending={isSending}
          ways={ways}
          shapes={shapes}
          approvedCall={approvedCall}
          onFollow={onFollow}
        />
        <details className={classes['details']} open={answer === undefined}>
          <summary>{t('playground.code')}</summary>
          <CallCode draft={draft} />
        </details>
      </div>
    </div>
  )
}

/** What was entered for other operations of the version. */
function keptSecrets({ versionId, shape, memory }: TryFormProps): CallDraft['values'] {
  const kept = shape.parameters.flatMap((parameter) => {
    const { scheme } = parameter
    const secret = scheme === undefined ? undefined : memory.secrets[secretName(versionId, scheme)]
    return secret === undefined ? [] : [[valueKey(parameter), secret]]
  })
  return Object.fromEntries(kept)
}

interface BodyProps {
  readonly shape: CallShape
  readonly value: string
  readonly onChange: (body: string) => void
}

function Body({ shape: { body }, value, onChange }: BodyProps) {
  const fault = body?.mediaType === 'application/json' ? faultOfJson(value) : undefined
  const examples = body?.examples ?? []
  const chosen = examples.findIndex(({ text }) => text === value)
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2} size="h3">
          {t('playground.body')}
        </Title>
        {body?.mediaType !== 'application/json' ? null : (
          <Button
            size="compact-sm"
            variant="default"
            disabled={fault !== undefined || value.trim() === ''}
            onClick={() => onChange(laidOutJson(value, Number.POSITIVE_INFINITY))}
          >
            {t('playground.format')}
          </Button>
        )}
      </Group>
      {examples.length < 2 ? null : (
        <NativeSelect
          label={t('playground.example')}
          value={String(chosen)}
          onChange={(event) => onChange(examples[Number(event.currentTarget.value)]?.text ?? value)}
          data={[
            ...(chosen === -1 ? [{ value: '-1', label: t('playground.ownBody') }] : []),
            ...examples.map(({ title }, at) => ({ value: String(at), label: title })),
          ]}
        />
      )}
      <Textarea
        label={t('playground.bodyOf', { type: body?.mediaType ?? '' })}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={fault === undefined ? undefined : t('playground.notJson', { line: fault })}
        dir="ltr"
        autosize
        minRows={4}
        maxRows={20}
        spellCheck={false}
        classNames={{ input: classes['code'] ?? '' }}
      />
    </Stack>
  )
}

/** The line on which a text stops being JSON; undefined for JSON and for nothing at all. */
function faultOfJson(text: string): number | undefined {
  if (text.trim() === '') return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const [, position] = /position (\d+)/.exec(String(error)) ?? []
    const before = position === undefined ? text : text.slice(0, Number(position))
    return before.split('\n').length
  }
}
