import classes from './code-tags.module.css'
import type { Tone } from './pill.tsx'

/** The status of an answer, in the colour of its class. */
export function StatusCode({ status }: { readonly status: number }) {
  return (
    <bdi className={classes['status']} data-tone={toneOf(status)}>
      {status === 0 ? '–' : status}
    </bdi>
  )
}

/** The tone of a status. The caller can fix the cause of a 4xx, but not of a 5xx. */
export function toneOf(status: number): Tone {
  if (status === 0) return 'neutral'
  if (status < 400) return 'ok'
  return status < 500 ? 'warn' : 'bad'
}
