import { Stack } from '@mantine/core'
import { useSearchParams } from 'wouter'
import type { AuditEntry } from '../../../gateway/portal/schemas/operator.ts'
import { useAudit } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { actionInWords } from './audit-words.ts'
import { Entry, PartyLink } from './entry.tsx'
import classes from './operator.module.css'
import { PagedList } from './paged-list.tsx'
import { ClearSearch, SearchField } from './search-field.tsx'
import { sectionPath } from './section-links.tsx'

/** The audit log: actor, action and subject, newest first. */
export function AuditSection() {
  const [params] = useSearchParams()
  const actor = params.get('actor') ?? ''
  const subject = params.get('subject') ?? ''
  const isFiltered = actor !== '' || subject !== ''
  const audit = useAudit({ actor, subject })
  return (
    <Stack gap="lg">
      <div className={classes['fields']}>
        <SearchField
          member="actor"
          label="Actor"
          description="The whole actor: developer:<id>, staff:<id>, operator:<name> or system."
        />
        <SearchField
          member="subject"
          label="Subject"
          description="The whole subject: application:<id>, developer:<id>, key:<id> …"
        />
      </div>
      {isFiltered ? <ClearSearch>Show all entries</ClearSearch> : null}
      <PagedList
        query={audit}
        nouns={['entry', 'entries']}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={isFiltered ? 'No matching entries' : 'No entries yet'}>
            {isFiltered
              ? 'Actor and subject must match exactly.'
              : 'Every change to developers, applications, keys and subscriptions appears here.'}
          </EmptyState>
        }
      >
        {(entry) => <AuditedChange entry={entry} />}
      </PagedList>
    </Stack>
  )
}

function AuditedChange({ entry }: { readonly entry: AuditEntry }) {
  const { at, actor, action, subject, detail, address, agent } = entry
  return (
    <Entry
      title={actionInWords(action)}
      at={at}
      facts={{
        by: <PartyLink party={actor} href={sectionPath('audit', { actor })} />,
        to: <PartyLink party={subject} href={sectionPath('audit', { subject })} />,
      }}
      detail={detail}
      origin={{ address, browser: agent }}
    />
  )
}
