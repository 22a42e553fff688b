import { Table, Text } from '@mantine/core'
import type { IssuedKey, Key } from '../../../../portal/api/schemas/applications.ts'
import { DataTable, RowActions, RowName } from '../../../components/data-table.tsx'
import { KeyCells, keyColumns } from '../../../components/key-cells.tsx'
import { keyLabel } from '../../../components/key-label.ts'
import { RowMenu, type RowMenuItem } from '../../../components/row-menu.tsx'
import { useDialog } from '../../../components/use-dialog.ts'
import { t } from '../../../words.ts'
import { type KeyAction, KeyDialog } from './key-dialog.tsx'
import classes from './key-table.module.css'

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
        ...keyColumns(),
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

function KeyRow(props: KeyRowProps) {
  const { applicationId, apiKey, hasAddresses, all, onIssued, onRevoked } = props
  const dialog = useDialog<KeyAction>()
  const { state, allowedAddresses } = apiKey
  const replacesItself = state === 'active' && apiKey.mayReplaceItself
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
      <KeyCells apiKey={apiKey} />
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
              onChoose: () => dialog.open(action),
            }),
          )}
        />
        {dialog.name === undefined ? null : (
          <KeyDialog
            action={dialog.name}
            applicationId={applicationId}
            apiKey={apiKey}
            opened={dialog.isOpen}
            onClose={dialog.close}
            onIssued={onIssued}
            onRevoked={onRevoked}
          />
        )}
      </RowActions>
    </Table.Tr>
  )
}

function actionsOf(state: Key['state']): readonly KeyAction[] {
  if (state === 'active') return ['rotate', 'addresses', 'selfReplacing', 'revoke']
  return state === 'replaced' ? ['addresses', 'revoke'] : []
}
