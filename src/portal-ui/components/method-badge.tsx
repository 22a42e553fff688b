import classes from './code-tags.module.css'
import pill from './pill.module.css'
import type { Tone } from './pill.tsx'

const tones: Readonly<Record<string, Tone>> = {
  GET: 'accent',
  POST: 'ok',
  PUT: 'warn',
  PATCH: 'warn',
  DELETE: 'bad',
}

/** The method of an operation, 56 px wide, so that paths begin below one another. */
export function MethodBadge({
  method,
  className = '',
}: {
  readonly method: string
  readonly className?: string | undefined
}) {
  return (
    <span
      className={`${pill['pill']} ${classes['method']} ${className}`}
      data-tone={tones[method] ?? 'neutral'}
      dir="ltr"
    >
      {method}
    </span>
  )
}
