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

export interface MethodBadgeProps {
  readonly method: string
  /** Small and without a ground, for a list of links. */
  readonly isPlain?: boolean
  readonly className?: string | undefined
}

/** The method of an operation, 56 px wide, so that paths begin below one another. */
export function MethodBadge({ method, isPlain = false, className = '' }: MethodBadgeProps) {
  const look = isPlain ? classes['plain'] : `${pill['pill']} ${classes['method']}`
  return (
    <span className={`${look} ${className}`} data-tone={tones[method] ?? 'neutral'} dir="ltr">
      {method}
    </span>
  )
}
