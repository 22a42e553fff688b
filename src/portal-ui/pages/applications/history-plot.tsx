import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import type { History } from '../../../gateway/portal/schemas/usage.ts'
import { wholeNumber } from '../../in-words.ts'
import { stepLabel } from './step-label.ts'

/**
 * Colours of the plot by what they stand for; the legend takes the same from
 * the style sheet. Each has at least 3:1 contrast to its background (WCAG 2.2,
 * 1.4.11), and in the order of stacking a neighbour differs in lightness too.
 */
const historyColours = {
  light: {
    admitted: '#2f9fae',
    refused: '#c4820f',
    errors: '#b42318',
    text: '#55646b',
    grid: '#e4eaec',
  },
  dark: {
    admitted: '#2fa5b4',
    refused: '#f5cf85',
    errors: '#e75f54',
    text: '#9fb0b6',
    grid: '#1e2d33',
  },
} as const

const height = 240

/**
 * The history as bars on a canvas: refused calls stacked on forwarded calls,
 * with errors among the forwarded calls. A table below has the same numbers for
 * screen readers.
 */
export function HistoryPlot({ history, label }: { history: History; label: string }) {
  const place = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')

  useEffect(() => {
    const element = place.current
    if (element === null) return
    const plot = new UPlot(
      plotOptions(history, scheme, element.clientWidth),
      barsOf(history),
      element,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [history, scheme])

  return <div ref={place} role="img" aria-label={label} style={{ height, minWidth: 0 }} />
}

/** Drawn on top of each other, tallest first: all calls, forwarded calls, errors among forwarded calls. */
function barsOf({ items }: History): UPlot.AlignedData {
  return [
    items.map((_, at) => at),
    items.map(({ admitted, refused }) => admitted + refused),
    items.map(({ admitted }) => admitted),
    items.map(({ errors }) => errors),
  ]
}

function plotOptions(history: History, scheme: 'light' | 'dark', width: number): UPlot.Options {
  const colours = historyColours[scheme]
  const bars = UPlot.paths.bars?.({ size: [0.72, 36], radius: 0.12 })
  const series = (label: string, colour: string): UPlot.Series => ({
    label,
    fill: colour,
    width: 0,
    points: { show: false },
    ...(bars === undefined ? {} : { paths: bars }),
  })
  const axis: UPlot.Axis = {
    stroke: colours.text,
    font: '12px system-ui, sans-serif',
    ticks: { show: false },
  }
  return {
    width,
    height,
    padding: [12, 8, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    scales: {
      x: { time: false, range: [-0.6, history.items.length - 0.4] },
      y: { range: (_, __, max) => [0, niceTop(max)] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        splits: ({ width: now }) =>
          everyNth(history.items.length, Math.max(2, Math.floor(now / 72))),
        values: (_, splits) => splits.map((at) => stepLabel(history, at)),
      },
      {
        ...axis,
        size: 52,
        grid: { stroke: colours.grid, width: 1 },
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6, 1e7],
        values: (_, splits) => splits.map((calls) => wholeNumber(calls)),
      },
    ],
    series: [
      {},
      series('Refused', colours.refused),
      series('Forwarded', colours.admitted),
      series('Errors', colours.errors),
    ],
  }
}

/** Some space above the highest bar; at least 4, so that one call does not fill the plot. */
function niceTop(max: number | null): number {
  return Math.max(4, Math.ceil((max ?? 0) * 1.08))
}

function everyNth(count: number, labelsMax: number): number[] {
  const apart = Math.ceil(count / labelsMax)
  return Array.from({ length: Math.ceil(count / apart) }, (_, at) => at * apart)
}
