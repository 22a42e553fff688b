import { Checkbox, Group, NativeSelect, Stack } from '@mantine/core'
import { useSearchParams } from 'wouter'
import type { SecurityEvent } from '../../../portal/api/schemas/operator.ts'
import { useSecurityEvents } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { pageLocale, t } from '../../words.ts'
import { Entry, PartyLink } from './entry.tsx'
import { EventSentence, eventInWords } from './event-words.tsx'
import { keptEvents } from './kept-events.ts'
import classes from './operator.module.css'
import { PagedList } from './paged-list.tsx'
import { PartyPicker } from './party-picker.tsx'
import { PeriodField, PeriodTimes, usePeriod } from './period-fields.tsx'
import { ClearSearch, SearchField, useSearchMember } from './search-field.tsx'
import { sectionPath } from './section-links.tsx'

/** Security events of all processes, newest first. */
export function SecurityEventsSection() {
  const [params] = useSearchParams()
  const [reads, changeReads] = useSearchMember('reads')
  const memberOf = (member: string) => params.get(member) ?? ''
  const { from, until } = usePeriod()
  const chosen = {
    event: memberOf('event'),
    party: memberOf('party'),
    keyId: memberOf('keyId').replace(/^tg_/, ''),
    from,
    until,
  }
  const isFiltered = Object.values(chosen).some((value) => value !== '')
  // Otherwise an operator who looks here finds mostly that operators look.
  const hasReads = reads !== '' || chosen.event === 'operator.read'
  const events = useSecurityEvents({ ...chosen, without: hasReads ? '' : 'operator.read' })
  return (
    <Stack gap="lg">
      <div className={classes['filters']}>
        <EventField />
        <PartyPicker
          member="party"
          label={t('events.party')}
          kinds={['developer', 'application']}
        />
        <SearchField member="keyId" label={t('fact.key')} placeholder="tg_…" />
        <PeriodField />
      </div>
      <PeriodTimes />
      <Group gap="md">
        {chosen.event === '' ? (
          <Checkbox
            label={t('events.showReads')}
            checked={hasReads}
            onChange={({ currentTarget }) => changeReads(currentTarget.checked ? 'yes' : '')}
          />
        ) : null}
        {isFiltered ? <ClearSearch>{t('events.showAll')}</ClearSearch> : null}
      </Group>
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
      title={<EventSentence event={recorded} />}
      at={at}
      facts={{
        event: <code>{event}</code>,
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
