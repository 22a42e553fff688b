import { milliseconds } from '../../../in-words.ts'
import { t } from '../../../words.ts'
import classes from './calls.module.css'

export interface TimeSplitProps {
  readonly totalMs: number
  /** Milliseconds spent waiting for the bank; null if the gateway did not call it. */
  readonly upstreamMs: number | null
}

/** Shows where the time of a call went, as a bar and as numbers. */
export function TimeSplit({ totalMs, upstreamMs }: TimeSplitProps) {
  if (upstreamMs === null) {
    return <p className={classes['dim']}>{t('story.noBank', { time: milliseconds(totalMs) })}</p>
  }
  const bankMs = Math.min(upstreamMs, totalMs)
  const gatewayMs = totalMs - bankMs
  return (
    <div className={classes['times']}>
      <div className={classes['split']} aria-hidden>
        <div data-part="gateway" style={{ flexGrow: gatewayMs }} />
        <div data-part="bank" style={{ flexGrow: Math.max(bankMs, 0.001) }} />
      </div>
      <ul>
        <li>
          <span data-part="gateway" aria-hidden />
          {t('story.gatewayTook', { time: milliseconds(gatewayMs) })}
        </li>
        <li>
          <span data-part="bank" aria-hidden />
          {t('story.bankTook', { time: milliseconds(bankMs) })}
        </li>
      </ul>
    </div>
  )
}
