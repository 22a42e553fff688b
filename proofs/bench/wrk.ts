import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeOthers } from './before-others.ts'
import { otherCore } from './two-cores.ts'
import type { RequestList } from './workload.ts'

const run = promisify(execFile)
const script = fileURLToPath(new URL('./wrk.lua', import.meta.url))

/** What one load of a target showed. */
export interface Load {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers of another kind than expected, and calls without an answer: a fast error is no result. */
  readonly unexpected: number
}

export interface LoadOptions {
  /** Origin of the target. */
  readonly url: string
  readonly list: RequestList
  /** Index of the first request; beyond the end of the list it goes round. */
  readonly begin: number
  readonly seconds: number
  readonly connections: number
  /** The status every answer is to have; undefined: any, while it warms up. */
  readonly expect: number | undefined
}

/** Loads a target over kept-alive connections, as fast as it answers. */
export async function load(options: LoadOptions): Promise<Load> {
  const { url, list, begin, seconds, connections, expect } = options
  const { stdout } = await run('taskset', [
    '-c',
    String(otherCore),
    ...beforeOthers('load'),
    'wrk',
    '-t',
    '1',
    '-c',
    String(connections),
    '-d',
    `${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    script,
    url,
    '--',
    list.path,
    String(begin),
    String(expect ?? 0),
  ])
  // Parse boundary: the line that wrk.lua prints at the end.
  const result = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as WrkResult
  const { requests, p50Ms, p99Ms } = result
  return {
    requests,
    seconds: result.seconds,
    p50Ms,
    p99Ms,
    unexpected: result.broken + unexpectedOf(result, expect),
  }
}

interface WrkResult extends Omit<Load, 'unexpected'> {
  /** Answers of 400 and more. */
  readonly status: number
  /** Answers of another status than the refusal expected. */
  readonly wrong: number
  /** Connections refused, broken or too slow. */
  readonly broken: number
}

function unexpectedOf({ status, wrong }: WrkResult, expect: number | undefined): number {
  if (expect === undefined) return 0
  return expect < 400 ? status : wrong
}
