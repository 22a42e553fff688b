import { Button, Table, Text } from '@mantine/core'
import type { MessageId } from '../../../../messages/format.ts'
import type { Delivery } from '../../../../portal/api/schemas/alerts.ts'
import { useDeliveries, useSending } from '../../../api/alerts.ts'
import { DataTable, RowActions } from '../../../components/data-table.tsx'
import { Pill } from '../../../components/pill.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { SectionCard } from '../../../components/section-card.tsx'
import { Time } from '../../../components/time.tsx'
import { t } from '../../../words.ts'

/** The latest events for a webhook: their results, and a button to send each again. */
export function WebhookDeliveries({ applicationId }: { readonly applicationId: string }) {
  const deliveries = useDeliveries(applicationId)
  const sending = useSending(applicationId)
  const items = deliveries.data?.items
  return (
    <SectionCard
      title={t('deliveries.title')}
      lead={t('deliveries.lead')}
      action={
        <Button
          variant="default"
          loading={sending.isPending}
          onClick={() => sending.mutate(undefined)}
        >
          {t('deliveries.test')}
        </Button>
      }
    >
      <ProblemAlert error={sending.error} />
      {items === undefined ? (
        <QueryState query={deliveries} label={t('deliveries.loading')} />
      ) : items.length === 0 ? (
        <Text c="dimmed">{t('deliveries.none')}</Text>
      ) : (
        <DataTable
          label={t('deliveries.list')}
          columns={[
            { name: 'event', label: t('deliveries.event') },
            { name: 'state', label: t('deliveries.state'), narrow: 'beside' },
            { name: 'attempts', label: t('deliveries.attempts'), isNumber: true },
            { name: 'answer', label: t('deliveries.answer') },
            { name: 'created', label: t('deliveries.created') },
            { name: 'next', label: t('deliveries.next') },
            { name: 'actions', label: '' },
          ]}
        >
          {items.map((delivery) => (
            <Table.Tr key={delivery.id}>
              <Table.Th scope="row">
                <code dir="ltr">{delivery.type}</code>
              </Table.Th>
              <Table.Td>
                <Pill tone={states[delivery.state]} hasDot>
                  {t(`deliveries.${delivery.state}`)}
                </Pill>
              </Table.Td>
              <Table.Td data-number>{delivery.attempts}</Table.Td>
              <Table.Td>{answerOf(delivery)}</Table.Td>
              <Table.Td>
                <Time at={delivery.createdAt} />
              </Table.Td>
              <Table.Td>{delivery.nextAt === null ? null : <Time at={delivery.nextAt} />}</Table.Td>
              <RowActions>
                <Button
                  variant="subtle"
                  size="compact-sm"
                  disabled={sending.isPending}
                  onClick={() => sending.mutate(delivery.id)}
                >
                  {t('deliveries.again')}
                </Button>
              </RowActions>
            </Table.Tr>
          ))}
        </DataTable>
      )}
    </SectionCard>
  )
}

const states = { pending: 'warn', delivered: 'ok', failed: 'bad' } as const

/** By the failures of the JSON API. */
const failures: Readonly<Record<string, MessageId>> = {
  address: 'deliveries.ofAddress',
  tls: 'deliveries.ofTls',
  timeout: 'deliveries.ofTimeout',
}

function answerOf({ responseStatus, failure }: Delivery): string {
  if (responseStatus !== null) return String(responseStatus)
  if (failure === null) return ''
  return t(failures[failure] ?? 'deliveries.ofConnection')
}
