import { NativeSelect, Stack, Text } from '@mantine/core'
import { useSearchParams } from 'wouter'
import type { SecurityEvent } from '../../../gateway/portal/schemas/operator.ts'
import { useSecurityEvents } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Entry, PartyLink } from './entry.tsx'
import { eventInWords, eventWords } from './event-words.ts'
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
        <SearchField
          member="party"
          label="Account or application"
          description="developer:<id>, staff:<id> …"
        />
        <SearchField member="keyId" label="API key" description="The 12 characters after tg_." />
        <SearchField member="from" kind="moment" label="From" description="Your local time." />
        <SearchField member="until" kind="moment" label="Until" description="Your local time." />
      </div>
      {isFiltered ? <ClearSearch>Show all events</ClearSearch> : null}
      <PagedList
        query={events}
        nouns={['event', 'events']}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={isFiltered ? 'No matching events' : 'No events yet'}>
            {isFiltered
              ? 'Account, application and API key must match exactly.'
              : 'Refused sign-ins and keys, operators’ reads and other events appear here.'}
          </EmptyState>
        }
      >
        {(event) => <RecordedEvent event={event} />}
      </PagedList>
    </Stack>
  )
}

const choices = [
  { value: '', label: 'All events' },
  ...Object.entries(eventWords)
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => a.label.localeCompare(b.label)),
]

function EventField() {
  const [event, change] = useSearchMember('event')
  return (
    <NativeSelect
      label="Event"
      description="Changes are in the audit log."
      data={choices}
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
