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

/** What a status means: 429 and other refusals are for the caller to mend, 5xx are not. */
export function toneOf(status: number): Tone {
  if (status === 0) return 'neutral'
  if (status < 400) return 'ok'
  return status < 500 ? 'warn' : 'bad'
}
