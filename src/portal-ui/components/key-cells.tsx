import { Table } from '@mantine/core'
import type { Key } from '../../portal/api/schemas/applications.ts'
import { t } from '../words.ts'
import type { DataColumn } from './data-table.tsx'
import classes from './key-cells.module.css'
import { Message } from './message.tsx'
import { Pill } from './pill.tsx'
import { ShortTime } from './short-time.tsx'
import { Time } from './time.tsx'

/** The columns of `KeyCells`, after the one of the key's name. */
export function keyColumns(): readonly DataColumn[] {
  return [
    { name: 'hint', label: t('keys.key'), narrow: 'below' },
    { name: 'state', label: t('keys.state'), narrow: 'beside' },
    { name: 'lastUsed', label: t('keys.lastUsed') },
    { name: 'expires', label: t('keys.expires') },
    { name: 'created', label: t('keys.created') },
  ]
}

const states = {
  active: { word: 'keys.active', tone: 'ok' },
  replaced: { word: 'keys.replaced', tone: 'warn' },
  expired: { word: 'keys.expired', tone: 'neutral' },
  revoked: { word: 'keys.revoked', tone: 'neutral' },
} as const

/** The cells of a key after its name: its hint, its state and its days. */
export function KeyCells({ apiKey }: { readonly apiKey: Key }) {
  const { hint, state, createdAt, lastUsedAt } = apiKey
  const { word, tone } = states[state]
  return (
    <>
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
        <Expiry apiKey={apiKey} />
      </Table.Td>
      <Table.Td>
        <ShortTime at={createdAt} />
      </Table.Td>
    </>
  )
}

/** When the key ends, or has ended. */
function Expiry({ apiKey: { state, expiresAt, revokedAt } }: { readonly apiKey: Key }) {
  if (revokedAt !== null) {
    return (
      <span className={classes['dim']}>
        <Message id="keys.revokedOn" values={{ day: <ShortTime at={revokedAt} /> }} />
      </span>
    )
  }
  if (expiresAt === null) return <span className={classes['dim']}>{t('common.never')}</span>
  return state === 'replaced' ? (
    <Message id="keys.worksUntil" values={{ time: <Time at={expiresAt} isShort /> }} />
  ) : (
    <ShortTime at={expiresAt} />
  )
}
