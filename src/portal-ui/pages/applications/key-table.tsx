import { Table, Text } from '@mantine/core'
import { Suspense, useState } from 'react'
import type { IssuedKey, Key } from '../../../gateway/portal/schemas/applications.ts'
import { DataTable, RowActions, RowName } from '../../components/data-table.tsx'
import { Message } from '../../components/message.tsx'
import { Pill } from '../../components/pill.tsx'
import { RowMenu, type RowMenuItem } from '../../components/row-menu.tsx'
import { ShortTime } from '../../components/short-time.tsx'
import { Time } from '../../components/time.tsx'
import { lazyPage } from '../../lazy-page.tsx'
import { t } from '../../words.ts'
import type { KeyAction } from './key-dialogs.tsx'
import { keyLabel } from './key-label.ts'
import classes from './key-table.module.css'

/** Loads once the table shows. */
const { Page: KeyDialogs } = lazyPage(() => import('./key-dialogs.tsx'), 'KeyDialogs')

export interface KeyTableProps extends Omit<KeyRowProps, 'apiKey' | 'hasAddresses'> {
  /** Name of the table for screen readers. */
  readonly label: string
  readonly keys: readonly Key[]
}

/** Keys, a row each, with what can be done with them behind "⋯". */
export function KeyTable({ label, keys, ...row }: KeyTableProps) {
  const isRestricted = keys.some(({ allowedAddresses }) => allowedAddresses.length > 0)
  return (
    <DataTable
      label={label}
      columns={[
        { name: 'name', label: t('field.name') },
        { name: 'hint', label: t('keys.key'), narrow: 'below' },
        { name: 'state', label: t('keys.state'), narrow: 'beside' },
        { name: 'lastUsed', label: t('keys.lastUsed') },
        { name: 'expires', label: t('keys.expires') },
        { name: 'created', label: t('keys.created') },
        ...(isRestricted ? [{ name: 'from', label: t('keys.from') }] : []),
        { name: 'actions', label: '' },
      ]}
    >
      {keys.map((key) => (
        <KeyRow key={key.id} apiKey={key} hasAddresses={isRestricted} {...row} />
      ))}
    </DataTable>
  )
}

interface KeyRowProps {
  readonly applicationId: string
  readonly apiKey: Key
  /** Whether the table has a column for the addresses. */
  readonly hasAddresses: boolean
  /** All keys of the application, to name the one that replaced this one. */
  readonly all: readonly Key[]
  readonly onIssued: (key: IssuedKey) => void
  readonly onRevoked: (keyId: string) => void
}

const states = {
  active: { word: 'keys.active', tone: 'ok' },
  replaced: { word: 'keys.replaced', tone: 'warn' },
  expired: { word: 'keys.expired', tone: 'neutral' },
  revoked: { word: 'keys.revoked', tone: 'neutral' },
} as const

function KeyRow(props: KeyRowProps) {
  const { applicationId, apiKey, hasAddresses, all, onIssued, onRevoked } = props
  const [dialog, setDialog] = useState<KeyAction>()
  const { hint, state, createdAt, lastUsedAt, expiresAt, revokedAt, allowedAddresses } = apiKey
  const replacesItself = state === 'active' && apiKey.mayReplaceItself
  const { word, tone } = states[state]
  const name = keyLabel(apiKey, all)

  return (
    <Table.Tr>
      <RowName>
        <bdi>{name}</bdi>
        {replacesItself ? (
          <Text size="xs" c="dimmed">
            {t('keys.selfReplacing')}
          </Text>
        ) : null}
      </RowName>
      <Table.Td>
        <code dir="ltr" className={classes['hint']}>
          {hint}
        </code>
      </Table.Td>
      <Table.Td>
        <Pill tone={tone} hasDot={tone !== 'neutral'}>
          {t(word)}
        </Pill>
      </Table.Td>
      <Table.Td>
        {lastUsedAt === null ? (
          <span className={classes['dim']}>{t('common.notYet')}</span>
        ) : (
          <Time at={lastUsedAt} isShort />
        )}
      </Table.Td>
      <Table.Td>
        {revokedAt !== null ? (
          <span className={classes['dim']}>
            <Message id="keys.revokedOn" values={{ day: <ShortTime at={revokedAt} /> }} />
          </span>
        ) : state === 'replaced' && expiresAt !== null ? (
          <Message id="keys.worksUntil" values={{ time: <Time at={expiresAt} isShort /> }} />
        ) : expiresAt === null ? (
          <span className={classes['dim']}>{t('common.never')}</span>
        ) : (
          <ShortTime at={expiresAt} />
        )}
      </Table.Td>
      <Table.Td>
        <ShortTime at={createdAt} />
      </Table.Td>
      {hasAddresses ? (
        <Table.Td className={classes['from'] ?? ''} title={allowedAddresses.join('\n')}>
          {allowedAddresses.length === 0 ? (
            <span className={classes['dim']}>{t('keys.everywhere')}</span>
          ) : (
            <bdi>{allowedAddresses.join(', ')}</bdi>
          )}
        </Table.Td>
      ) : null}
      <RowActions>
        <RowMenu
          label={t('keys.actionsFor', { name })}
          items={actionsOf(state).map(
            (action): RowMenuItem => ({
              label: t(`keys.${action}`),
              name: t(`keys.${action}Named`, { name }),
              onChoose: () => setDialog(action),
            }),
          )}
        />
        <Suspense>
          <KeyDialogs
            applicationId={applicationId}
            apiKey={apiKey}
            opened={dialog}
            onClose={() => setDialog(undefined)}
            onIssued={onIssued}
            onRevoked={onRevoked}
          />
        </Suspense>
      </RowActions>
    </Table.Tr>
  )
}

function actionsOf(state: Key['state']): readonly KeyAction[] {
  if (state === 'active') return ['rotate', 'addresses', 'selfReplacing', 'revoke']
  return state === 'replaced' ? ['addresses', 'revoke'] : []
}
