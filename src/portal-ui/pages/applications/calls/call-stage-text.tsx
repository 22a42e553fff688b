import type { CallRecord } from '../../../../portal/api/schemas/usage.ts'
import { useApis } from '../../../api/catalogue.ts'
import { Message } from '../../../components/message.tsx'
import { Time } from '../../../components/time.tsx'
import { milliseconds, wholeNumber, windowInWords } from '../../../in-words.ts'
import { versionTitle } from '../../../published.ts'
import { t, words } from '../../../words.ts'
import type { CallStage, StageState } from './call-stages.ts'
import { errorCode } from './call-words.ts'

export interface CallStageTextProps {
  readonly record: CallRecord
  readonly stage: CallStage
  readonly state: StageState
}

/** What happened to a call at a stage, in a sentence; nothing for a stage that it did not reach. */
export function CallStageText({ record, stage, state }: CallStageTextProps) {
  if (state === 'unreached') return null
  if (stage === 'bank') return <AtTheBank record={record} />
  if (stage === 'limit') return <AtTheLimit record={record} state={state} />
  if (state === 'failed') return <Failure record={record} />
  const { method, path, api, version } = record
  if (stage === 'operation' && path !== null) {
    return (
      <bdi dir="ltr">
        {method} {path}
      </bdi>
    )
  }
  if (stage === 'subscription' && api !== null && version !== null) {
    return <VersionName api={api} version={version} />
  }
  return null
}

function VersionName(named: { readonly api: string; readonly version: string }) {
  const { data: apis } = useApis()
  return <bdi>{versionTitle(apis, named)}</bdi>
}

function AtTheBank({ record }: { readonly record: CallRecord }) {
  const { outcome, status, upstreamMs, totalMs } = record
  const time = milliseconds(upstreamMs ?? totalMs)
  if (outcome === 'forwarded') return t('story.bankAnswered', { status: String(status), time })
  if (outcome === 'cut') return t('story.bankBrokeOff')
  if (outcome !== 'aborted') return <Failure record={record} />
  return t(upstreamMs === null ? 'story.leftBeforeBank' : 'story.leftDuringAnswer')
}

/** Which call of how many it was, or that none was left. */
function AtTheLimit({ record, state }: Omit<CallStageTextProps, 'stage'>) {
  const { limit, limitScope, used, remaining, resetsAt, decision, outcome, drill } = record
  if (drill !== null) return t('story.drillLimit')
  if (decision === 'degraded_admitted') return t('story.countersAway')
  if (limit === null) return state === 'failed' ? <Failure record={record} /> : t('story.unlimited')
  if (used === null || remaining === null || resetsAt === null) {
    return state === 'failed' ? <Failure record={record} /> : t('story.countersAway')
  }
  const id =
    outcome === 'QUOTA_EXCEEDED'
      ? 'story.usedUp'
      : decision === 'observed'
        ? 'story.observed'
        : 'story.counted'
  return (
    <Message
      id={id}
      values={{
        used: wholeNumber(used),
        limit: wholeNumber(limit),
        left: remaining,
        scope: limitScope ?? 'operation',
        window: windowInWords(record),
        time: <Time at={resetsAt} />,
      }}
    />
  )
}

/** What a code means; a key says when it ended. */
function Failure({ record }: { readonly record: CallRecord }) {
  const { outcome } = record
  if (outcome === 'KEY_INVALID') return <KeyEnd record={record} />
  if (outcome === 'aborted') return t('story.leftEarly')
  const id = `error.${errorCode(record)}.title`
  return words().knows(id) ? t(id) : (record.detail ?? outcome)
}

/**
 * A revocation after the key had expired changed nothing; a key may end between
 * the begin of a call and the look at its key.
 */
function KeyEnd({ record }: { readonly record: CallRecord }) {
  const { at, totalMs, keyExpiresAt, keyRevokedAt } = record
  const endedMs = Date.parse(at) + totalMs
  const isBefore = (end: string | null): end is string => end !== null && Date.parse(end) <= endedMs
  const wasRevoked =
    keyRevokedAt !== null &&
    (keyExpiresAt === null || Date.parse(keyRevokedAt) < Date.parse(keyExpiresAt))
  if (wasRevoked && isBefore(keyRevokedAt)) {
    return <Message id="story.keyRevoked" values={{ time: <Time at={keyRevokedAt} isPrecise /> }} />
  }
  if (isBefore(keyExpiresAt)) {
    return <Message id="story.keyExpired" values={{ time: <Time at={keyExpiresAt} isPrecise /> }} />
  }
  return t('story.keyOver')
}
