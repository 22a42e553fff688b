import { Stack } from '@mantine/core'
import { useOperatedDevelopers } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { DeveloperRow } from './developer-row.tsx'
import { PagedList } from './paged-list.tsx'
import { SearchField, useSearchText } from './search-field.tsx'

/** The list of developers, to approve or suspend them. */
export function DevelopersSection() {
  const search = useSearchText()
  const developers = useOperatedDevelopers(search)
  return (
    <Stack gap="lg">
      <SearchField label="Search developers" description="Part of a name or an address." />
      <PagedList
        query={developers}
        nouns={['developer', 'developers']}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={search === '' ? 'No developers yet' : 'No developer found'}>
            {search === ''
              ? 'Developers appear here as soon as they have signed up.'
              : 'No name or address contains this text.'}
          </EmptyState>
        }
      >
        {(developer) => <DeveloperRow developer={developer} />}
      </PagedList>
    </Stack>
  )
}
