import { Stack } from '@mantine/core'
import { useOperatedDevelopers } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { DeveloperRow } from './developer-row.tsx'
import { PagedList } from './paged-list.tsx'
import { SearchField, useSearchText } from './search-field.tsx'

/** Developers: who they are, whom to approve, whom to suspend. */
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
              ? 'They show here as soon as they have signed up.'
              : 'No name and no address holds this text.'}
          </EmptyState>
        }
      >
        {(developer) => <DeveloperRow developer={developer} />}
      </PagedList>
    </Stack>
  )
}
