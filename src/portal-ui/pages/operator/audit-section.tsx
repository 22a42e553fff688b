import { Button, Stack } from '@mantine/core'
import { useSearchParams } from 'wouter'
import type { AuditEntry } from '../../../portal/api/schemas/operator.ts'
import { auditFile, useAudit } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { t } from '../../words.ts'
import { AuditSentence } from './audit-words.tsx'
import { Entry, PartyLink } from './entry.tsx'
import classes from './operator.module.css'
import { PagedList } from './paged-list.tsx'
import { PartyPicker } from './party-picker.tsx'
import { ClearSearch } from './search-field.tsx'
import { sectionPath } from './section-links.tsx'

/** The audit log in sentences, newest first. */
export function AuditSection() {
  const [params] = useSearchParams()
  const actor = params.get('actor') ?? ''
  const subject = params.get('subject') ?? ''
  const isFiltered = actor !== '' || subject !== ''
  const audit = useAudit({ actor, subject })
  return (
    <Stack gap="lg">
      <div className={classes['fields']}>
        <PartyPicker member="actor" label={t('auditLog.by')} kinds={['developer']} />
        <PartyPicker
          member="subject"
          label={t('auditLog.about')}
          kinds={['developer', 'application']}
        />
      </div>
      {isFiltered ? <ClearSearch>{t('auditLog.showAll')}</ClearSearch> : null}
      <PagedList
        query={audit}
        counted="auditLog.counted"
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={t(isFiltered ? 'auditLog.noMatch' : 'auditLog.none')}>
            {t(isFiltered ? 'auditLog.noMatchHelp' : 'auditLog.noneHelp')}
          </EmptyState>
        }
      >
        {(entry) => <AuditedChange entry={entry} />}
      </PagedList>
    </Stack>
  )
}

/** Downloads what the section shows. */
export function AuditDownload() {
  const [params] = useSearchParams()
  const [actor, subject] = [params.get('actor') ?? '', params.get('subject') ?? '']
  return (
    <Button component="a" href={auditFile({ actor, subject })} download variant="default">
      {t('auditLog.download')}
    </Button>
  )
}

function AuditedChange({ entry }: { readonly entry: AuditEntry }) {
  const { at, actor, action, subject, detail, requestId, address, agent } = entry
  return (
    <Entry
      title={<AuditSentence entry={entry} />}
      at={at}
      facts={{
        by: <PartyLink party={actor} href={sectionPath('audit', { actor })} />,
        to: <PartyLink party={subject} href={sectionPath('audit', { subject })} />,
        action,
      }}
      detail={detail}
      origin={{ address, browser: agent, requestId }}
    />
  )
}
