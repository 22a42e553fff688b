import { Stack } from '@mantine/core'
import { useOperatedDevelopers } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { useFacts } from '../../facts.tsx'
import { t } from '../../words.ts'
import { DeveloperRow } from './developer-row.tsx'
import { PagedList } from './paged-list.tsx'
import { SearchField, useSearchText } from './search-field.tsx'

/** Developers, found by a search, with what an operator can do for each. */
export function DevelopersSection() {
  const search = useSearchText()
  const developers = useOperatedDevelopers(search)
  const hasTerms = useFacts().brand.terms !== null
  return (
    <Stack gap="lg">
      <SearchField
        label={t('operator.searchDevelopers')}
        description={t('operator.searchDevelopersHelp')}
      />
      <PagedList
        query={developers}
        counted="operator.countedDevelopers"
        keyOf={({ id }) => id}
        table={{
          label: t('operator.developers'),
          columns: [
            { name: 'name', label: t('account.name') },
            { name: 'state', label: t('operator.stateHead'), narrow: 'beside' },
            { name: 'applications', label: t('operator.applications'), isNumber: true },
            { name: 'since', label: t('operator.sinceHead') },
            ...(hasTerms ? [{ name: 'terms', label: t('operator.termsHead') }] : []),
            { name: 'actions', label: '' },
          ],
        }}
        empty={
          search === '' ? (
            <EmptyState title={t('operator.noDevelopers')}>
              {t('operator.noDevelopersHelp')}
            </EmptyState>
          ) : (
            <EmptyState title={t('operator.noDeveloperFound')}>
              {t('operator.noDeveloperFoundHelp')}
            </EmptyState>
          )
        }
      >
        {(developer) => <DeveloperRow developer={developer} hasTerms={hasTerms} />}
      </PagedList>
    </Stack>
  )
}
