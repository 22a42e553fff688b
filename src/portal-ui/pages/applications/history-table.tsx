import { Switch, Table } from '@mantine/core'
import { useState } from 'react'
import type { History, HistoryPoint } from '../../../gateway/portal/schemas/usage.ts'
import { milliseconds, wholeNumber } from '../../in-words.ts'
import classes from './applications.module.css'
import { stepName } from './step-label.ts'

const figures = ['Forwarded', 'Refused', 'Failed', 'Average', 'Longest'] as const

/** The numbers of the plot, newest first; steps without calls only on request. */
export function HistoryTable({ history }: { readonly history: History }) {
  const [withEmpty, setWithEmpty] = useState(false)
  const shown = history.items
    .filter(({ admitted, refused }) => withEmpty || admitted + refused > 0)
    .toReversed()
  const isByDay = history.step === 'day'
  return (
    <div>
      <Switch
        label={isByDay ? 'Show days without calls' : 'Show hours without calls'}
        checked={withEmpty}
        onChange={(event) => setWithEmpty(event.currentTarget.checked)}
        mb="xs"
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to take the focus */}
      <section className={classes['scroll']} tabIndex={0} aria-label="Numbers of the chart">
        <Table className={classes['numbers'] ?? ''} striped withRowBorders={false}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{isByDay ? 'Day (UTC)' : 'Hour'}</Table.Th>
              {figures.map((figure) => (
                <Table.Th key={figure} scope="col" ta="right">
                  {figure}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((point) => (
              <Row key={point.at} point={point} name={stepName(history, point.at)} />
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </div>
  )
}

function Row({ point, name }: { readonly point: HistoryPoint; readonly name: string }) {
  const { admitted, refused, errors, averageMs, maxMs } = point
  const cells = [
    ...[admitted, refused, errors].map(wholeNumber),
    ...[averageMs, maxMs].map((ms) => (ms === null ? '–' : milliseconds(ms))),
  ]
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {name}
      </Table.Th>
      {cells.map((cell, index) => (
        <Table.Td key={figures[index]} ta="right">
          {cell}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}
