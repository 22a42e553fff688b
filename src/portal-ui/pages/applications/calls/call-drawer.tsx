import { Button, Drawer } from '@mantine/core'
import type { CallRecord } from '../../../../portal/api/schemas/usage.ts'
import { useCallsWithId } from '../../../api/calls.ts'
import { useApis } from '../../../api/catalogue.ts'
import { MethodBadge } from '../../../components/method-badge.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { t } from '../../../words.ts'
import { CallStory } from './call-story.tsx'
import { callPath, callTitle } from './call-words.ts'
import classes from './calls.module.css'

export interface CallDrawerProps {
  readonly applicationId: string
  /** X-Request-ID of the call to show; undefined: closed. */
  readonly requestId: string | undefined
  readonly onClose: () => void
}

/** The story of a call, at the end side of the page. */
export function CallDrawer({ applicationId, requestId, onClose }: CallDrawerProps) {
  const found = useCallsWithId(applicationId, requestId ?? '')
  const records = found.data?.items ?? []
  const [first] = records
  return (
    <Drawer
      opened={requestId !== undefined}
      onClose={onClose}
      position="right"
      size="30rem"
      returnFocus={false}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      title={first === undefined ? t('story.title') : <Title record={first} />}
    >
      {requestId === undefined ? null : (
        <>
          <QueryState query={found} label={t('calls.looking')} />
          {records.map((record) => (
            <CallStory key={record.at} applicationId={applicationId} record={record} />
          ))}
          {found.data?.items.length === 0 ? (
            <Nothing requestId={requestId} onAgain={() => void found.refetch()} />
          ) : null}
        </>
      )}
    </Drawer>
  )
}

function Title({ record }: { readonly record: CallRecord }) {
  const { data: apis } = useApis()
  const path = callPath(record)
  return (
    <span className={classes['title']}>
      <MethodBadge method={record.method} />{' '}
      {path === undefined ? <bdi>{callTitle(record, apis)}</bdi> : <bdi dir="ltr">{path}</bdi>}
    </span>
  )
}

const reasons = ['late', 'old', 'foreign', 'never'] as const

function Nothing({
  requestId,
  onAgain,
}: {
  readonly requestId: string
  readonly onAgain: () => void
}) {
  return (
    <div className={classes['story']}>
      <p role="status">
        <strong>{t('calls.unknownId')}</strong> <code dir="ltr">{requestId}</code>
      </p>
      <ul className={classes['reasons']}>
        {reasons.map((reason) => (
          <li key={reason}>{t(`calls.unknownId.${reason}`)}</li>
        ))}
      </ul>
      <div>
        <Button variant="default" onClick={onAgain}>
          {t('calls.lookAgain')}
        </Button>
      </div>
    </div>
  )
}
