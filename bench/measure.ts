import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { PinnedProcess } from './process.ts'

const run = promisify(execFile)
const load = fileURLToPath(new URL('./load.ts', import.meta.url))

/** What one round showed of one target. */
export interface Round {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of the target over calls served; the figure that compares on a small machine. */
  readonly cpuMicrosecondsPerCall: number
}

export interface MeasureOptions {
  readonly target: PinnedProcess
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly seconds: number
  readonly connections: number
  /** Core of the load generator; not the target's. */
  readonly core: number
  /** Which answers the target is to give; `mixed` while it warms up. */
  readonly expect: 'ok' | 'refused' | 'mixed'
}

interface LoadResult {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly errors: number
  readonly ok: number
  readonly refused: number
}

/**
 * Loads a target once.
 *
 * @throws when an answer was not of the expected kind: a fast error is no result
 */
export async function measure(options: MeasureOptions): Promise<Round> {
  const { target, url, headers, seconds, connections, core, expect } = options
  const before = target.cpuMicroseconds()
  const { stdout } = await run('taskset', [
    '-c',
    String(core),
    process.execPath,
    load,
    url,
    String(seconds),
    String(connections),
    JSON.stringify(headers),
  ])
  const used = target.cpuMicroseconds() - before
  // Parse boundary: the line our own load.ts prints.
  const result = JSON.parse(stdout) as LoadResult
  const wrong = { ok: result.refused, refused: result.ok, mixed: 0 }[expect]
  const unexpected = result.errors + wrong
  if (unexpected > 0) {
    throw new Error(`${url}: ${unexpected} of ${result.requests} answers were not ${expect}`)
  }
  return {
    perSecond: result.perSecond,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    cpuMicrosecondsPerCall: used / result.requests,
  }
}

/** The middle of the values (of an even number, the lower of the two). */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}
