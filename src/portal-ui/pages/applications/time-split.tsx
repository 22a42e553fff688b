import { Text } from '@mantine/core'
import { milliseconds } from '../../in-words.ts'
import classes from './applications.module.css'

export interface TimeSplitProps {
  readonly totalMs: number
  /** Of that, waiting for the bank service; null when it was not asked. */
  readonly upstreamMs: number | null
}

/** Where the time of a call went: a bar for the eye, the numbers for everybody. */
export function TimeSplit({ totalMs, upstreamMs }: TimeSplitProps) {
  if (upstreamMs === null) return <Text size="sm">The bank service was not asked.</Text>
  const bankMs = Math.min(upstreamMs, totalMs)
  const gatewayMs = totalMs - bankMs
  const total = Math.max(totalMs, 0.001)
  return (
    <div>
      <div className={classes['split']} aria-hidden="true">
        <div
          className={classes['splitGateway']}
          style={{ width: `${(gatewayMs / total) * 100}%` }}
        />
        <div className={classes['splitBank']} style={{ width: `${(bankMs / total) * 100}%` }} />
      </div>
      <ul className={classes['legend']} style={{ marginTop: '0.5rem' }}>
        <li className={classes['legendGateway']}>Gateway {milliseconds(gatewayMs)}</li>
        <li className={classes['legendBank']}>Bank service {milliseconds(bankMs)}</li>
      </ul>
    </div>
  )
}
