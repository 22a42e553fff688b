import { NativeSelect, Stack, Text } from '@mantine/core'
import { useSearchParams } from 'wouter'
import type { SecurityEvent } from '../../../gateway/portal/schemas/operator.ts'
import { useSecurityEvents } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { pageLocale, t } from '../../words.ts'
import { Entry, PartyLink } from './entry.tsx'
import { eventInWords } from './event-words.ts'
import { keptEvents } from './kept-events.ts'
import classes from './operator.module.css'
import { PagedList } from './paged-list.tsx'
import { ClearSearch, SearchField, useSearchMember } from './search-field.tsx'
import { sectionPath } from './section-links.tsx'

/** Security events of all processes, newest first. */
export function SecurityEventsSection() {
  const [params] = useSearchParams()
  const memberOf = (member: string) => params.get(member) ?? ''
  const filter = {
    event: memberOf('event'),
    party: memberOf('party'),
    keyId: memberOf('keyId'),
    from: memberOf('from'),
    until: memberOf('until'),
  }
  const isFiltered = Object.values(filter).some((value) => value !== '')
  const events = useSecurityEvents(filter)
  return (
    <Stack gap="lg">
      <div className={classes['filters']}>
        <EventField />
        <SearchField member="party" label={t('events.party')} description={t('events.partyHelp')} />
        <SearchField member="keyId" label={t('fact.key')} description={t('events.keyHelp')} />
        <SearchField
          member="from"
          kind="moment"
          label={t('events.from')}
          description={t('overrides.localTime')}
        />
        <SearchField
          member="until"
          kind="moment"
          label={t('plans.until')}
          description={t('overrides.localTime')}
        />
      </div>
      {isFiltered ? <ClearSearch>{t('events.showAll')}</ClearSearch> : null}
      <PagedList
        query={events}
        counted="events.counted"
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={t(isFiltered ? 'events.noMatch' : 'events.none')}>
            {t(isFiltered ? 'events.noMatchHelp' : 'events.noneHelp')}
          </EmptyState>
        }
      >
        {(event) => <RecordedEvent event={event} />}
      </PagedList>
    </Stack>
  )
}

function choices() {
  const named = keptEvents.map((value) => ({ value: String(value), label: eventInWords(value) }))
  return [
    { value: '', label: t('events.all') },
    ...named.toSorted((a, b) => a.label.localeCompare(b.label, pageLocale())),
  ]
}

function EventField() {
  const [event, change] = useSearchMember('event')
  return (
    <NativeSelect
      label={t('events.event')}
      description={t('events.changesElsewhere')}
      data={choices()}
      value={event}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  )
}

function RecordedEvent({ event: recorded }: { readonly event: SecurityEvent }) {
  const { at, event, reason, actor, subject, keyId, detail, address, agent, requestId } = recorded
  const party = (named: string | null) =>
    named === null ? null : (
      <PartyLink party={named} href={sectionPath('security-events', { party: named })} />
    )
  return (
    <Entry
      title={
        <>
          {eventInWords(event)}{' '}
          <Text component="span" size="xs" c="dimmed" ff="monospace">
            {event}
          </Text>
        </>
      }
      at={at}
      facts={{
        reason,
        by: party(actor),
        about: party(subject),
        key:
          keyId === null ? null : (
            <TextLink href={sectionPath('security-events', { keyId })} size="sm">
              {keyId}
            </TextLink>
          ),
      }}
      detail={detail}
      origin={{ address, browser: agent, requestId }}
    />
  )
}
