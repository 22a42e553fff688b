import { Stack, Table } from '@mantine/core'
import { operatorApplicationPath } from '../../../portal/pages/page-paths.ts'
import { useOperatedApplications } from '../../api/operator.ts'
import { RowActions, RowName } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Pill } from '../../components/pill.tsx'
import { ShortTime } from '../../components/short-time.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { t } from '../../words.ts'
import { ApplicationSuspension } from './application-suspension.tsx'
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
        table={{
          label: t('operator.applications'),
          columns: [
            { name: 'name', label: t('operator.application') },
            { name: 'owner', label: t('operator.ownerHead') },
            { name: 'state', label: t('operator.stateHead'), narrow: 'beside' },
            { name: 'since', label: t('operator.sinceHead') },
            { name: 'actions', label: '' },
          ],
        }}
        empty={
          search === '' ? (
            <EmptyState title={t('operator.noApplications')}>
              {t('operator.noApplicationsHelp')}
            </EmptyState>
          ) : (
            <EmptyState title={t('operator.noApplicationFound')}>
              {t('operator.noApplicationFoundHelp')}
            </EmptyState>
          )
        }
      >
        {(application) => (
          <Table.Tr>
            <RowName>
              <TextLink href={operatorApplicationPath(application.id)}>
                <bdi>{application.name}</bdi>
              </TextLink>
            </RowName>
            <Table.Td>
              <bdi>{application.developerEmail}</bdi>
            </Table.Td>
            <Table.Td>
              {application.suspendedAt === null ? (
                <Pill tone="ok" hasDot>
                  {t('operator.key.active')}
                </Pill>
              ) : (
                <Pill tone="bad" hasDot>
                  {t('state.suspended')}
                </Pill>
              )}
            </Table.Td>
            <Table.Td>
              <ShortTime at={application.createdAt} />
            </Table.Td>
            <RowActions>
              <ApplicationSuspension application={application} inMenu />
            </RowActions>
          </Table.Tr>
        )}
      </PagedList>
    </Stack>
  )
}
