import { Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './figure.module.css'

export interface FigureProps {
  /** What is counted. */
  readonly label: string
  readonly value: ReactNode
  /** Compares it, or splits it up. */
  readonly note?: ReactNode
}

/** One figure: what it is, its value, and a line to judge it by. */
export function Figure({ label, value, note }: FigureProps) {
  return (
    <Paper withBorder shadow="xs" className={classes['figure'] ?? ''}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="div" className={classes['value'] ?? ''}>
        {value}
      </Text>
      {note === undefined ? null : (
        <Text size="xs" c="dimmed" component="div">
          {note}
        </Text>
      )}
    </Paper>
  )
}

/** Figures in a row; two a row on a phone. */
export function Figures({ children }: { readonly children: ReactNode }) {
  return <div className={classes['figures']}>{children}</div>
}
