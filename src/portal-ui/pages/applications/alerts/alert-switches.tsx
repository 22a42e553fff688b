import { Checkbox, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { Alerts } from '../../../../portal/api/schemas/alerts.ts'
import { useAlertsChange } from '../../../api/alerts.ts'
import { DataTable } from '../../../components/data-table.tsx'
import { Message } from '../../../components/message.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { SectionCard } from '../../../components/section-card.tsx'
import { pageLink } from '../../../components/text-link.tsx'
import { limitInWords } from '../../../in-words.ts'
import { t } from '../../../words.ts'
import { useSubscribedVersions, versionName } from '../subscribed-versions.ts'
import classes from './alert-switches.module.css'

const kinds = ['limits', 'expiry', 'deprecations'] as const
const channels = ['mails', 'hooks'] as const

export interface AlertSwitchesProps {
  readonly applicationId: string
  readonly alerts: Alerts
}

/** A switch for each kind of alert and each way it goes; saves each choice at once. */
export function AlertSwitches({ applicationId, alerts }: AlertSwitchesProps) {
  const change = useAlertsChange(applicationId)
  // Shows the choice until the portal has answered.
  const [chosen, setChosen] = useState<Alerts>()
  const shown = chosen ?? alerts
  const choose = (
    channel: (typeof channels)[number],
    kind: (typeof kinds)[number],
    on: boolean,
  ) => {
    const next = { ...shown[channel], [kind]: on }
    setChosen({ ...shown, [channel]: next })
    change.mutate({ [channel]: next }, { onSettled: () => setChosen(undefined) })
  }
  // Nothing is sent before there is an address.
  const isIdle = (channel: (typeof channels)[number]) =>
    channel === 'hooks' && alerts.webhook === null
  return (
    <SectionCard
      title={t('alerts.what')}
      lead={<Message id="alerts.lead" tags={{ link: pageLink('/profile') }} />}
    >
      <DataTable
        label={t('alerts.title')}
        columns={[
          { name: 'kind', label: t('alerts.alert') },
          { name: 'mails', label: t('alerts.mails') },
          { name: 'hooks', label: t('alerts.hooks') },
        ]}
      >
        {kinds.map((kind) => (
          <Table.Tr key={kind}>
            <Table.Th scope="row" className={classes['kind'] ?? ''}>
              {t(`mails.${kind}`)}
              <Text size="sm" c="dimmed">
                {t(`alerts.${kind}When`)}
              </Text>
            </Table.Th>
            {channels.map((channel) => (
              <Table.Td key={channel} className={classes['choice'] ?? ''}>
                <Checkbox
                  aria-label={t(`alerts.${channel}Of`, { kind: t(`mails.${kind}`) })}
                  checked={shown[channel][kind] && !isIdle(channel)}
                  disabled={isIdle(channel)}
                  onChange={(event) => choose(channel, kind, event.currentTarget.checked)}
                />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </DataTable>
      {isIdle('hooks') ? (
        <Text size="sm" c="dimmed" mt="sm">
          {t('alerts.addAddress')}
        </Text>
      ) : null}
      <ShortLimits applicationId={applicationId} />
      <ProblemAlert error={change.error} />
      <Text size="sm" role="status" c="green">
        {change.isSuccess ? t('form.saved') : ''}
      </Text>
    </SectionCard>
  )
}

/** Says which limits of the application get no alerts, because they reset too soon. */
function ShortLimits({ applicationId }: Pick<AlertSwitchesProps, 'applicationId'>) {
  const { versions = [] } = useSubscribedVersions(applicationId)
  const short = versions.flatMap((version) => {
    const plan = version.plans.find(({ name }) => name === version.subscription.plan)
    return (plan?.limits ?? [])
      .filter(({ windowSeconds }) => windowSeconds !== null && windowSeconds < alertedSecondsMin)
      .map((limit) => ({ key: `${version.api} ${version.version} ${limit.name}`, version, limit }))
  })
  if (short.length === 0) return null
  return (
    <div>
      <Text size="sm">{t('alerts.shortLimits')}</Text>
      <ul>
        {short.map(({ key, version, limit }) => (
          <li key={key}>
            <Text size="sm" span>
              <bdi>{versionName(version)}</bdi>: {limitInWords(limit)}
            </Text>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The portal watches no limits that reset sooner (docs/alerts.md). */
const alertedSecondsMin = 60
