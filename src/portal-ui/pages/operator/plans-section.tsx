import { Stack, Table, Text, Title } from '@mantine/core'
import { operatorApplicationPath } from '../../../portal/pages/page-paths.ts'
import { useApis } from '../../api/catalogue.ts'
import { usePlanUse } from '../../api/operator.ts'
import { DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { limitInWords, wholeNumber } from '../../in-words.ts'
import { limitOfVersion, versionTitle } from '../../published.ts'
import { t } from '../../words.ts'

/** What each plan gives and who has it, and the limits that differ from a plan now. */
export function PlansSection() {
  const plans = usePlanUse()
  const { data: apis } = useApis()
  const { data } = plans
  if (data === undefined) return <QueryState query={plans} />
  return (
    <Stack gap="xl">
      <DataTable
        label={t('plans.title')}
        columns={[
          { name: 'plan', label: t('plans.plan') },
          { name: 'version', label: t('plans.version') },
          { name: 'limits', label: t('plans.limits'), narrow: 'below' },
          { name: 'subscriptions', label: t('overview.subscriptions'), isNumber: true },
        ]}
      >
        {data.items.map(({ api, version, plan, subscriptions }) => (
          <Table.Tr key={`${api} ${version} ${plan.name}`}>
            <Table.Td>
              <bdi>{plan.title}</bdi>
            </Table.Td>
            <Table.Td>
              <bdi>{versionTitle(apis, { api, version })}</bdi>
            </Table.Td>
            <Table.Td>
              {plan.limits.map((limit) => (
                <div key={limit.name}>{limitInWords(limit)}</div>
              ))}
            </Table.Td>
            <Table.Td data-number>{wholeNumber(subscriptions)}</Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
      <Stack gap="sm" component="section">
        <Title order={2}>{t('plans.overrides')}</Title>
        {data.overrides.length === 0 ? (
          <EmptyState title={t('plans.noOverrides')}>{t('plans.noOverridesHelp')}</EmptyState>
        ) : (
          <DataTable
            label={t('plans.overrides')}
            columns={[
              { name: 'application', label: t('operator.application') },
              { name: 'limit', label: t('plans.limit') },
              { name: 'calls', label: t('overview.calls'), isNumber: true },
              { name: 'until', label: t('plans.until') },
              { name: 'reason', label: t('plans.reason') },
            ]}
          >
            {data.overrides.map((override) => (
              <Table.Tr key={override.id}>
                <Table.Td>
                  <TextLink href={operatorApplicationPath(override.applicationId)}>
                    <bdi>{override.applicationName}</bdi>
                  </TextLink>
                </Table.Td>
                <Table.Td>
                  <bdi>{limitOfVersion(apis, override)}</bdi>
                </Table.Td>
                <Table.Td data-number>{wholeNumber(override.calls)}</Table.Td>
                <Table.Td>
                  <Time at={override.expiresAt} />
                </Table.Td>
                <Table.Td>
                  <Text size="sm" maw="18rem" style={{ whiteSpace: 'normal' }}>
                    <bdi>{override.reason}</bdi>
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </DataTable>
        )}
      </Stack>
    </Stack>
  )
}
