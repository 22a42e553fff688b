import { Badge, Group, Stack, Text } from '@mantine/core'
import { useOperatedApplications } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { ApplicationSuspension } from './application-suspension.tsx'
import classes from './operator.module.css'
import { PagedList } from './paged-list.tsx'
import { SearchField, useSearchText } from './search-field.tsx'

/** Applications of all developers. */
export function ApplicationsSection() {
  const search = useSearchText()
  const applications = useOperatedApplications(search)
  return (
    <Stack gap="lg">
      <SearchField
        label="Search applications"
        description="Part of a name, or of the developer’s address."
      />
      <PagedList
        query={applications}
        nouns={['application', 'applications']}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={search === '' ? 'No applications yet' : 'No application found'}>
            {search === ''
              ? 'Applications appear here as soon as a developer creates one.'
              : 'No name or developer’s address contains this text.'}
          </EmptyState>
        }
      >
        {(application) => (
          <>
            <div className={classes['who']}>
              <Group gap="xs">
                <TextLink href={`/operator/applications/${application.id}`} fw={600}>
                  <bdi>{application.name}</bdi>
                </TextLink>
                {application.suspendedAt === null ? null : <Badge color="red">Suspended</Badge>}
              </Group>
              <Text size="sm" c="dimmed" component="div">
                <bdi>{application.developerEmail}</bdi> · since <Time at={application.createdAt} />
              </Text>
            </div>
            <div className={classes['actions']}>
              <ApplicationSuspension application={application} size="xs" />
            </div>
          </>
        )}
      </PagedList>
    </Stack>
  )
}
