import { Stack } from '@mantine/core'
import type { Key } from '../../../gateway/portal/schemas/applications.ts'
import classes from './applications.module.css'
import { KeyCard, type KeyCardProps } from './key-card.tsx'

export interface KeyCardsProps extends Omit<KeyCardProps, 'apiKey'> {
  /** Name of the list for screen readers. */
  readonly label: string
  readonly keys: readonly Key[]
}

/** A list of keys, a card each. */
export function KeyCards({ label, keys, ...card }: KeyCardsProps) {
  return (
    <Stack component="ul" gap="sm" className={classes['list'] ?? ''} aria-label={label}>
      {keys.map((key) => (
        <KeyCard key={key.id} apiKey={key} {...card} />
      ))}
    </Stack>
  )
}
