import { Anchor, Button, VisuallyHidden } from '@mantine/core'
import { Link } from 'wouter'
import type { CallRecord } from '../../../../portal/api/schemas/usage.ts'
import { CopyValue } from '../../../components/copy-value.tsx'
import { Message } from '../../../components/message.tsx'
import { Pill } from '../../../components/pill.tsx'
import { StatusCode } from '../../../components/status-code.tsx'
import { pageLink } from '../../../components/text-link.tsx'
import { Time } from '../../../components/time.tsx'
import { tabPath } from '../../../tab-path.ts'
import { t, words } from '../../../words.ts'
import { CallAsCode } from './call-as-code.tsx'
import { CallStageText } from './call-stage-text.tsx'
import { type StageState, stagesOf } from './call-stages.ts'
import { errorCode, isAdmitted, outcomeTone, outcomeWord } from './call-words.ts'
import classes from './calls.module.css'
import { TimeSplit } from './time-split.tsx'

export interface CallStoryProps {
  /** The reader's own application; undefined for an operator, who cannot act for its developer. */
  readonly applicationId: string | undefined
  readonly record: CallRecord
}

/** What became of a call: what it passed, what was counted, where its time went, and what to do now. */
export function CallStory({ applicationId, record }: CallStoryProps) {
  const { at, status, requestId, traceId, operation, totalMs, upstreamMs, drill } = record
  const code = errorCode(record)
  const tryAgain = new URLSearchParams({ operation: operation ?? '' })
  return (
    <article className={classes['story']}>
      <p className={classes['lead']}>
        <StatusCode status={status} />
        <Pill tone={outcomeTone(record)}>{outcomeWord(record)}</Pill>
        {drill === null ? null : <Pill tone="neutral">{t('calls.drill')}</Pill>}
        <span className={classes['dim']}>
          <Time at={at} isPrecise />
        </span>
      </p>
      {drill === null || drill === 'refused' ? (
        <WhatToDo applicationId={applicationId} record={record} code={code} />
      ) : (
        <p>
          <Message
            id="story.drill"
            values={{ drill: <code dir="ltr">Sandbox-Drill: {drill}</code> }}
          />
        </p>
      )}
      <ol className={classes['stages']} aria-label={t('story.stages')}>
        {stagesOf(record).map(({ stage, state }) => (
          <li key={stage} data-state={state}>
            <span className={classes['mark']} aria-hidden>
              {marks[state]}
            </span>
            <div>
              <strong>{t(`story.stage.${stage}`)}</strong>
              {state === 'passed' ? (
                <VisuallyHidden> {t('story.state.passed')}</VisuallyHidden>
              ) : (
                <span className={classes['state']}>{t(`story.state.${state}`)}</span>
              )}
              <div className={classes['dim']}>
                <CallStageText record={record} stage={stage} state={state} />
              </div>
            </div>
          </li>
        ))}
      </ol>
      {applicationId === undefined || isAdmitted(record) || drill !== null ? null : (
        <p className={classes['dim']}>{t('story.uncounted')}</p>
      )}
      <TimeSplit totalMs={totalMs} upstreamMs={upstreamMs} />
      <dl className={classes['facts']}>
        <dt>X-Request-ID</dt>
        <dd>
          <CopyValue value={requestId} label="X-Request-ID" />
        </dd>
        <dt>{t('story.traceId')}</dt>
        <dd>
          <CopyValue value={traceId} label={t('story.traceId')} />
        </dd>
        <dt>{t('calls.key')}</dt>
        <dd>
          <code dir="ltr">tg_{record.keyId}_…</code>
          {record.isPageKey ? <> {t('story.pageKey')}</> : null}
        </dd>
      </dl>
      {operation === null ? null : <CallAsCode record={record} />}
      {operation === null || applicationId === undefined ? null : (
        <div>
          <Button
            component={Link}
            href={`${tabPath(applicationId, 'playground')}?${tryAgain}`}
            variant="default"
          >
            {t('story.tryAgain')}
          </Button>
        </div>
      )}
    </article>
  )
}

const marks: Readonly<Record<StageState, string>> = { passed: '✓', failed: '✕', unreached: '–' }

interface WhatToDoProps {
  readonly applicationId: string | undefined
  readonly record: CallRecord
  readonly code: string | undefined
}

/** Why a call was not answered well, and for its developer what helps. */
function WhatToDo({ applicationId, record, code }: WhatToDoProps) {
  const id = adviceOf(record, code)
  if (id === undefined || (applicationId === undefined && code === undefined)) return null
  const isUsedUp = code === 'QUOTA_EXCEEDED' && record.resetsAt !== null
  return (
    <div className={classes['advice']} data-tone={outcomeTone(record)}>
      {applicationId !== undefined && isUsedUp ? (
        <p>
          <Message
            id="story.waitOrAsk"
            values={{ time: <Time at={record.resetsAt ?? ''} /> }}
            tags={{ link: pageLink(tabPath(applicationId, 'usage')) }}
          />
        </p>
      ) : null}
      {applicationId === undefined || isUsedUp ? null : <p>{t(id)}</p>}
      {record.detail === null || code === undefined ? null : (
        <details>
          <summary>{t('story.showAnswer')}</summary>
          <bdi lang="en" dir="ltr" data-as-sent>
            “{record.detail}”
          </bdi>
        </details>
      )}
      {code === undefined ? null : (
        <Anchor href={`/problems/${code}`} underline="always">
          {t('story.meaning', { code })}
        </Anchor>
      )}
    </div>
  )
}

function adviceOf({ outcome, status }: CallRecord, code: string | undefined) {
  if (code !== undefined) {
    const id = `advice.${code}`
    return words().knows(id) ? id : ('advice.other' as const)
  }
  if (outcome === 'aborted') return 'advice.aborted' as const
  if (outcome === 'cut') return 'advice.cut' as const
  if (status === 429) return 'advice.bank429' as const
  if (status >= 500) return 'advice.bank5xx' as const
  return status >= 400 ? ('advice.bank4xx' as const) : undefined
}
