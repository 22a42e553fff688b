import { CloseButton } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../words.ts'
import classes from './notice-line.module.css'
import type { Tone } from './pill.tsx'

export interface NoticeLineProps {
  readonly tone: Tone
  /** Name under which the browser remembers that the reader has dismissed the notice; undefined: it stays. */
  readonly name?: string
  /** One line. */
  readonly children: ReactNode
}

/** A notice of one line above a page's content. */
export function NoticeLine({ tone, name, children }: NoticeLineProps) {
  const [isAway, setIsAway] = useState(() => name !== undefined && wasPutAway(name))
  if (isAway) return null
  return (
    <div className={classes['line']} data-tone={tone}>
      <div className={classes['text']}>{children}</div>
      {name === undefined ? null : (
        <CloseButton
          size="sm"
          aria-label={t('common.dismiss')}
          onClick={() => {
            putAway(name)
            setIsAway(true)
          }}
        />
      )}
    </div>
  )
}

function wasPutAway(name: string): boolean {
  try {
    return localStorage.getItem(`notice ${name}`) !== null
  } catch {
    return false
  }
}

function putAway(name: string): void {
  try {
    localStorage.setItem(`notice ${name}`, '')
  } catch {
    // Without storage the notice comes back with the next visit.
  }
}
