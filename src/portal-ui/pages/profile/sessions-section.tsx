import { Button, Group, Stack, Text } from '@mantine/core'
import type { ListedSession } from '../../../portal/api/schemas/factors.ts'
import { useSessionEnd, useSessions, useSignOutEverywhere } from '../../api/session.ts'
import { Message } from '../../components/message.tsx'
import { Pill } from '../../components/pill.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { Time } from '../../components/time.tsx'
import { t } from '../../words.ts'
import { browserInWords } from './browser-in-words.ts'
import classes from './profile-section.module.css'
import { ProfileSection } from './profile-section.tsx'

/** Where the developer is signed in: end one session, or all. */
export function SessionsSection() {
  const sessions = useSessions()
  const end = useSessionEnd()
  const signOut = useSignOutEverywhere()
  return (
    <ProfileSection title={t('sessions.title')} lead={t('sessions.lead')}>
      <Stack gap="md" align="flex-start">
        <QueryState query={sessions} label={t('sessions.loading')} />
        {sessions.data === undefined ? null : (
          <ul className={classes['list']} aria-label={t('sessions.yours')}>
            {sessions.data.items.map((session) => (
              <SessionRow key={session.id} session={session} end={end} />
            ))}
          </ul>
        )}
        <ProblemAlert error={end.error} />
        <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
          {t('sessions.signOutEverywhere')}
        </Button>
        <ProblemAlert error={signOut.error} />
      </Stack>
    </ProfileSection>
  )
}

interface SessionRowProps {
  readonly session: ListedSession
  readonly end: ReturnType<typeof useSessionEnd>
}

function SessionRow({ session, end }: SessionRowProps) {
  const { id, agent, createdAt, seenAt, isCurrent } = session
  const browser = browserInWords(agent)
  return (
    <li className={classes['item']}>
      <div>
        <Group gap="xs">
          <Text fw={550} component="span" title={agent}>
            {browser}
          </Text>
          {isCurrent ? <Pill tone="ok">{t('sessions.thisBrowser')}</Pill> : null}
        </Group>
        <Text size="sm" c="dimmed" component="div">
          <Message id="sessions.signedIn" values={{ time: <Time at={createdAt} /> }} />
          {isCurrent ? null : (
            <>
              {' · '}
              <Message id="factors.lastUsed" values={{ time: <Time at={seenAt} /> }} />
            </>
          )}
        </Text>
      </div>
      {isCurrent ? null : (
        <Button
          size="xs"
          variant="default"
          loading={end.isPending && end.variables === id}
          onClick={() => end.mutate(id)}
          aria-label={t('sessions.endNamed', { browser })}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  )
}
