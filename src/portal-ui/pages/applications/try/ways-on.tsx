import { Button, Group, Stack, Text, Title } from '@mantine/core'
import type { NextCall, WaysOn as Ways } from '../../../calls/next-calls.ts'
import { t } from '../../../words.ts'
import classes from '../applications.module.css'

export interface WaysOnProps {
  readonly ways: Ways
  /** The call that the customer’s approval made possible; it comes first. */
  readonly approvedCall: NextCall | undefined
  readonly onFollow: (call: NextCall) => void
}

/** How many steps show at once; the others are one click away. */
const shownMax = 3

/** The next steps after a response, the likeliest first: the bank's page, and calls with their ids filled in. */
export function WaysOn({ ways, approvedCall, onFollow }: WaysOnProps) {
  const { approvalPage } = ways
  const calls = ways.calls.filter((call) => call !== approvedCall)
  const hasMain = approvedCall !== undefined || approvalPage !== undefined
  const shown = calls.slice(0, hasMain ? shownMax - 1 : shownMax)
  const others = calls.slice(shown.length)
  if (approvalPage === undefined && ways.calls.length === 0) return null
  return (
    <Stack gap="xs">
      <Title order={3}>{t('playground.next')}</Title>
      {approvedCall === undefined ? null : (
        <Group gap="xs">
          <Button size="sm" onClick={() => onFollow(approvedCall)}>
            <bdi>{approvedCall.shape.summary}</bdi>
          </Button>
          <Text size="sm">{t('playground.approved')}</Text>
        </Group>
      )}
      {approvalPage === undefined || approvedCall !== undefined ? null : (
        <Group gap="xs">
          <Button component="a" href={approvalPage} target="_blank" rel="noreferrer" size="sm">
            {t('playground.approve')}
          </Button>
          <Text size="sm">{t('playground.approveMeans')}</Text>
        </Group>
      )}
      <Calls
        calls={shown}
        label={t('playground.nextCalls')}
        isFirstMain={!hasMain}
        onFollow={onFollow}
      />
      {others.length === 0 ? null : (
        <details className={classes['details']}>
          <summary>{t('playground.moreNext', { count: others.length })}</summary>
          <Calls calls={others} label={t('playground.moreNextCalls')} onFollow={onFollow} />
        </details>
      )}
    </Stack>
  )
}

interface CallsProps extends Pick<WaysOnProps, 'onFollow'> {
  readonly calls: readonly NextCall[]
  readonly label: string
  /** Whether the first one is the step to take (default: false). */
  readonly isFirstMain?: boolean
}

function Calls({ calls, label, isFirstMain = false, onFollow }: CallsProps) {
  return (
    <ul className={classes['ways']} aria-label={label}>
      {calls.map((call, at) => (
        // The same call may be linked twice; the list changes only with the approval.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <li key={at}>
          <Button
            size="compact-sm"
            variant={isFirstMain && at === 0 ? 'filled' : 'default'}
            className={classes['chip'] ?? ''}
            onClick={() => onFollow(call)}
          >
            <bdi>{call.shape.summary}</bdi>
            {call.of === '' ? null : (
              <>
                :&nbsp;<bdi>{call.of}</bdi>
              </>
            )}
          </Button>
        </li>
      ))}
    </ul>
  )
}
