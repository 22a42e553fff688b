import type { ReactNode } from 'react'
import classes from './pill.module.css'

/** What a state means to the reader. */
export type Tone = 'ok' | 'warn' | 'bad' | 'neutral' | 'accent'

export interface PillProps {
  readonly tone: Tone
  /** A dot before the words, for a state that may change. */
  readonly hasDot?: boolean
  readonly children: ReactNode
}

/** A state in one or two words. */
export function Pill({ tone, hasDot = false, children }: PillProps) {
  return (
    <span className={classes['pill']} data-tone={tone}>
      {hasDot ? <span className={classes['dot']} aria-hidden /> : null}
      {children}
    </span>
  )
}
