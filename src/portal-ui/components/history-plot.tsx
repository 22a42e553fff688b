import { useElementSize } from '@mantine/hooks'
import { useId, useState } from 'react'
import type { History, HistoryPoint } from '../../portal/api/schemas/usage.ts'
import { milliseconds, wholeNumber } from '../in-words.ts'
import { t } from '../words.ts'
import classes from './history-plot.module.css'
import { stepLabel, stepName } from './step-label.ts'

/** The calls of a step. */
type PlotPoint = Pick<HistoryPoint, 'at' | 'admitted' | 'refused' | 'errors' | 'clientErrors'> &
  Partial<Pick<HistoryPoint, 'p95Ms'>>

export interface HistoryPlotProps {
  readonly history: Pick<History, 'step'> & { readonly items: readonly PlotPoint[] }
  /** Says what the picture shows, for screen readers. */
  readonly label: string
  /** Calls that a step allows; drawn as a line, if it is in reach of the bars. */
  readonly limit?: number | undefined
}

const height = 200
const top = 10
const bottom = 24
const start = 44
const inside = height - top - bottom
/** Pixels between the parts of a column, which separate them without colour. */
const gap = 2
/** Parts of a column, from the bottom; each has its own fill. */
const plotParts = ['errors', 'clientErrors', 'succeeded', 'refused'] as const
type PlotPart = (typeof plotParts)[number]

/**
 * Calls by step as columns: server errors, client errors, calls that went well, refused calls. Time runs from
 * left to right in every language. The page shows the same numbers in a table, for screen readers.
 */
export function HistoryPlot({ history, label, limit }: HistoryPlotProps) {
  const { ref, width } = useElementSize()
  const [shown, setShown] = useState<number>()
  const hatchId = useId()
  const { items } = history
  const highest = Math.max(...items.map(({ admitted, refused }) => admitted + refused))
  const isInReach = limit !== undefined && limit <= 4 * Math.max(highest, 1)
  const ticks = ticksUpTo(isInReach ? Math.max(highest, limit) : highest)
  const most = ticks.at(-1) ?? 1
  const yOf = (calls: number): number => top + inside - (calls / most) * inside
  const columnWidth = Math.max(0, width - start) / items.length
  const point = shown === undefined ? undefined : items[shown]

  return (
    <div ref={ref} className={classes['plot']} dir="ltr" onPointerLeave={() => setShown(undefined)}>
      <svg width={width} height={height} role="img" aria-label={label}>
        <Hatch id={hatchId} />
        {ticks.map((calls) => (
          <g key={calls}>
            <line
              className={classes['grid']}
              x1={start}
              x2={width}
              y1={yOf(calls)}
              y2={yOf(calls)}
            />
            <text className={classes['tick']} x={start - 8} y={yOf(calls) + 4} textAnchor="end">
              {wholeNumber(calls)}
            </text>
          </g>
        ))}
        {items.map((item, at) => (
          <g key={item.at}>
            <Column
              item={item}
              x={start + at * columnWidth}
              width={columnWidth}
              yOf={yOf}
              hatchId={hatchId}
            />
            <rect
              className={classes['band']}
              data-shown={at === shown || undefined}
              x={start + at * columnWidth}
              y={top}
              width={columnWidth}
              height={inside}
              onPointerEnter={() => setShown(at)}
              onPointerDown={() => setShown(at)}
            />
          </g>
        ))}
        {everyNth(items.length, columnWidth).map((at) => (
          <text
            key={at}
            className={classes['tick']}
            x={start + (at + 0.5) * columnWidth}
            y={height - 6}
            textAnchor="middle"
          >
            {stepLabel(history, at)}
          </text>
        ))}
        {isInReach ? (
          <g>
            <line
              className={classes['limit']}
              x1={start}
              x2={width}
              y1={yOf(limit)}
              y2={yOf(limit)}
            />
            <text
              className={classes['limitName']}
              x={width - 4}
              y={yOf(limit) - 5}
              textAnchor="end"
            >
              {t('usage.limitLine', { count: limit })}
            </text>
          </g>
        ) : null}
      </svg>
      {point === undefined || shown === undefined ? null : (
        <Tooltip
          point={point}
          name={stepName(history, point.at)}
          x={start + (shown + 0.5) * columnWidth}
          isNearEnd={shown > items.length / 2}
        />
      )}
    </div>
  )
}

interface ColumnProps {
  readonly item: PlotPoint
  readonly x: number
  readonly width: number
  readonly yOf: (calls: number) => number
  readonly hatchId: string
}

function Column({ item, x, width, yOf, hatchId }: ColumnProps) {
  const counts: Readonly<Record<PlotPart, number>> = {
    errors: item.errors,
    clientErrors: item.clientErrors,
    succeeded: item.admitted - item.errors - item.clientErrors,
    refused: item.refused,
  }
  let from = 0
  return plotParts.map((part) => {
    const count = counts[part]
    if (count <= 0) return null
    const isFirst = from === 0
    const floor = yOf(from) - (isFirst ? 0 : gap)
    from += count
    // A single call among thousands must still be seen.
    const tall = Math.max(2, floor - yOf(from))
    return (
      <rect
        key={part}
        className={classes[part]}
        fill={fillOf(part, hatchId)}
        x={x + width * 0.15}
        y={floor - tall}
        width={Math.max(1, width * 0.7)}
        height={tall}
        rx={Math.min(2.5, tall / 2)}
      />
    )
  })
}

interface TooltipProps {
  readonly point: PlotPoint
  readonly name: string
  readonly x: number
  readonly isNearEnd: boolean
}

function Tooltip({ point, name, x, isNearEnd }: TooltipProps) {
  const { admitted, refused, errors, clientErrors, p95Ms = null } = point
  return (
    <div
      className={classes['tooltip']}
      style={isNearEnd ? { right: `calc(100% - ${x - 12}px)` } : { left: x + 12 }}
      aria-hidden
      dir="auto"
    >
      <strong>{name}</strong>
      <div>{t('usage.tipAdmitted', { count: admitted })}</div>
      {clientErrors === 0 ? null : <div>{t('usage.tipClientErrors', { count: clientErrors })}</div>}
      {errors === 0 ? null : <div>{t('usage.tipServerErrors', { count: errors })}</div>}
      <div>{t('usage.tipRefused', { count: refused })}</div>
      {p95Ms === null ? null : <div>{t('usage.tipP95', { time: milliseconds(p95Ms) })}</div>}
    </div>
  )
}

/** The fills of refused calls and of client errors; `id` must be unique in the document. */
function Hatch({ id }: { readonly id: string }) {
  return (
    <defs>
      <pattern
        id={id}
        width="5"
        height="5"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="5" height="5" className={classes['hatchGround']} />
        <rect width="2.5" height="5" className={classes['hatch']} />
      </pattern>
      <pattern id={`${id}-lines`} width="4" height="4" patternUnits="userSpaceOnUse">
        <rect width="4" height="4" className={classes['linesGround']} />
        <rect width="4" height="2" className={classes['lines']} />
      </pattern>
    </defs>
  )
}

/** Undefined where the style sheet has the fill. */
function fillOf(part: PlotPart, hatchId: string): string | undefined {
  if (part === 'refused') return `url(#${hatchId})`
  return part === 'clientErrors' ? `url(#${hatchId}-lines)` : undefined
}

/** What each fill means. */
export function PlotLegend() {
  const hatchId = useId()
  return (
    <ul className={classes['legend']}>
      {(['succeeded', 'clientErrors', 'errors', 'refused'] as const).map((part) => (
        <li key={part}>
          <svg width="12" height="12" aria-hidden="true">
            {part === 'refused' ? <Hatch id={hatchId} /> : null}
            <rect
              width="12"
              height="12"
              rx="3"
              className={classes[part]}
              fill={fillOf(part, hatchId)}
            />
          </svg>
          {t(`usage.legend.${part}`)}
        </li>
      ))}
    </ul>
  )
}

/** 0 and up to four more round numbers, the last at least as high as the highest column. */
function ticksUpTo(highest: number): number[] {
  const least = Math.max(4, highest) / 4
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least) ?? least
  const whole = Math.max(1, step)
  const count = Math.ceil(Math.max(1, highest) / whole)
  return Array.from({ length: count + 1 }, (_, at) => at * whole)
}

function everyNth(count: number, columnWidth: number): number[] {
  const apart = Math.max(1, Math.ceil(64 / Math.max(1, columnWidth)))
  return Array.from({ length: Math.ceil(count / apart) }, (_, at) => at * apart)
}
