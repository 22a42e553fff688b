import { Group, Stack, Text } from '@mantine/core'
import { useOperatedApplications } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Message } from '../../components/message.tsx'
import { Pill } from '../../components/pill.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { t } from '../../words.ts'
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
        label={t('operator.searchApplications')}
        description={t('operator.searchApplicationsHelp')}
      />
      <PagedList
        query={applications}
        counted="operator.countedApplications"
        keyOf={({ id }) => id}
        empty={
          <EmptyState
            title={t(search === '' ? 'operator.noApplications' : 'operator.noApplicationFound')}
          >
            {t(search === '' ? 'operator.noApplicationsHelp' : 'operator.noApplicationFoundHelp')}
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
                {application.suspendedAt === null ? null : (
                  <Pill tone="bad" hasDot>
                    {t('state.suspended')}
                  </Pill>
                )}
              </Group>
              <Text size="sm" c="dimmed" component="div">
                <Message
                  id="operator.ownerSince"
                  values={{
                    email: <bdi>{application.developerEmail}</bdi>,
                    time: <Time at={application.createdAt} />,
                  }}
                />
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
