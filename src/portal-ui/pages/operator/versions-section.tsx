import { Group, Stack, Table, Text, Title } from '@mantine/core'
import type { OperatorVersions } from '../../../portal/api/schemas/operator.ts'
import { useVersionCallers } from '../../api/operator.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Day } from '../../components/day.tsx'
import { Message } from '../../components/message.tsx'
import { Pill } from '../../components/pill.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { wholeNumber } from '../../in-words.ts'
import { versionPath } from '../../published.ts'
import { t } from '../../words.ts'
import { ApplicationCell } from './application-cell.tsx'

type Version = OperatorVersions['items'][number]

/** The published versions, with the applications that still call each. */
export function VersionsSection() {
  const versions = useVersionCallers()
  const { data } = versions
  if (data === undefined) return <QueryState query={versions} />
  return (
    <Stack gap="xl">
      <Text c="dimmed">
        <Message id="versions.since" values={{ time: <Time at={data.from} /> }} />
      </Text>
      {data.items.map((item) => (
        <VersionCallers key={`${item.api} ${item.version}`} item={item} />
      ))}
    </Stack>
  )
}

function VersionCallers({ item }: { readonly item: Version }) {
  const { api, version, title, subscriptions, callers, lifecycle, isDeprecated, isRetired } = item
  const name = `${title} ${version}`
  return (
    <Stack gap="sm" component="section" aria-label={name}>
      <Group gap="sm">
        <Title order={2}>
          <TextLink href={versionPath(api, version)} inherit underline="hover">
            <bdi>{name}</bdi>
          </TextLink>
        </Title>
        <Pill tone={isRetired ? 'bad' : isDeprecated ? 'warn' : 'ok'} hasDot>
          {t(
            isRetired
              ? 'lifecycle.retired'
              : isDeprecated
                ? 'lifecycle.deprecated'
                : 'lifecycle.current',
          )}
        </Pill>
        {lifecycle.sunset === undefined ? null : (
          <Text size="sm" c="dimmed">
            <Message id="lifecycle.ends" values={{ day: <Day date={lifecycle.sunset} /> }} />
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {t('versions.subscriptions', { count: subscriptions })}
        </Text>
      </Group>
      {callers.length === 0 ? (
        <Text c="dimmed">{t('versions.noCallers')}</Text>
      ) : (
        <DataTable
          label={t('versions.callers', { version: name })}
          columns={[
            { name: 'application', label: t('operator.application') },
            { name: 'calls', label: t('overview.calls'), isNumber: true },
            { name: 'last', label: t('versions.lastCall') },
          ]}
        >
          {callers.map(({ calls, lastCallAt, ...application }) => (
            <Table.Tr key={application.applicationId}>
              <ApplicationCell application={application} />
              <Table.Td data-number>{wholeNumber(calls)}</Table.Td>
              <Table.Td>
                <Time at={lastCallAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      )}
    </Stack>
  )
}
