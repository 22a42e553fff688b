import { Text } from '@mantine/core'
import { milliseconds } from '../../in-words.ts'
import classes from './applications.module.css'

export interface TimeSplitProps {
  readonly totalMs: number
  /** Milliseconds spent waiting for the bank service; null if the gateway did not call it. */
  readonly upstreamMs: number | null
}

/** Shows where the time of a call went, as a bar and as numbers. */
export function TimeSplit({ totalMs, upstreamMs }: TimeSplitProps) {
  if (upstreamMs === null) return <Text size="sm">The call did not reach the bank.</Text>
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
