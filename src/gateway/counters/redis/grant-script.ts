import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { BucketWindow } from '../counter.ts'
import { windowEnd, windowWord } from '../window.ts'

/** A Lua script and its digest, by which Redis knows it. */
export interface Script {
  readonly text: string
  readonly sha1: string
}

/**
 * The arguments of a script. The time only selects which calendar windows the
 * process sends; the script decides by the server's own time.
 *
 * @param timeMs milliseconds since 1970, by the process's estimate of the server's clock
 */
export type ScriptArguments = (timeMs: number) => readonly (string | number)[]

/** Decides a batch of calls; see `grant.lua`. */
export const grantScript = readScript('grant.lua')

/** Resets one bucket; see `reset.lua`. */
export const resetScript = readScript('reset.lua')

/** Registers a process that counts; see `heartbeat.lua`. */
export const heartbeatScript = readScript('heartbeat.lua')

/** Shows whether a server runs scripts as Redis does; see `probe.lua`. */
export const probeScript = readScript('probe.lua')

/** The reply of `probe.lua`. */
export const probeReply: readonly number[] = [1_764_201_600_123_456, 8, 13, 7, 2, 42, 1]

/** The marker shows whether a server still has its counters. */
export interface MarkerPlace {
  /**
   * Key of `<run id>:<µs since 1970>`: since that moment this server's counters
   * are complete. The value also lists the processes it waits for until then.
   */
  readonly key: string
  /** Counts nothing; a grant on it proves that the server accepts writes. Lies beside the marker. */
  readonly probe: BucketWindow
}

/** The place on a server that holds all buckets. */
export const onlyPlace: MarkerPlace = {
  key: 'tollgate:marker',
  probe: { bucket: 'tollgate:{probe}:1', windowLength: 1 },
}

/** The time in a marker's value; undefined when the value is not a marker. */
export function markerOf(value: string | undefined): number | undefined {
  const made = /^\w*:(\d+)(?: |$)/.exec(value ?? '')?.[1]
  return made === undefined ? undefined : Number(made)
}

/** What a process knows about a bucket when it asks for a grant. */
export interface AskedBucket extends BucketWindow {
  /** The highest confirmed count this process has seen. */
  readonly floor?: BucketCount | undefined
  readonly addition?: Addition | undefined
}

/** Calls admitted without the store, to add to the count of their window. */
export interface Addition extends BucketWindow {
  readonly window: number
  readonly count: number
}

/** A count, with its window and epoch. */
export interface BucketCount {
  readonly window: number
  /** Raised by each reset; values with a lower epoch are void. */
  readonly epoch: number
  readonly count: number
}

/** A number of calls that ask for the same buckets under the same limits. */
export interface CallGroup {
  readonly asked: number
  readonly limits: readonly {
    /** Index of the bucket in the request, from 0. */
    readonly index: number
    readonly calls: number
  }[]
}

export interface GrantRequest {
  readonly buckets: readonly AskedBucket[]
  readonly groups: readonly CallGroup[]
  /** Undefined when one request cannot address both the marker and the buckets. */
  readonly marker?: MarkerCheck | undefined
}

/** What a process knows about a server's marker. */
export interface MarkerCheck {
  readonly key: string
  /** Milliseconds without grants after a loss of counters. The pause lasts longer while the server waits for a process. */
  readonly settleMs: number
  readonly knowledge?: MarkerKnowledge
}

/** What decides whether a marker is valid. */
export interface MarkerKnowledge {
  /** Run id of the server from INFO; empty when INFO does not contain it. */
  readonly runId: string
  /** A marker from before another server took over, which the script replaces as if it were missing. */
  readonly stale?: number | undefined
  /** A marker to write if it is missing or from another run, because this process knows that no count was lost. */
  readonly vouched?: number | undefined
  /** The marker of the loss for which this process has pushed all it knows. */
  readonly answered?: number | undefined
  /** See {@link Heartbeat.living}. */
  readonly living: readonly number[]
}

/** Writes the keys and arguments of `grant.lua`. */
export function grantCommand(request: GrantRequest): { keys: string[]; args: ScriptArguments } {
  const { buckets, marker } = request
  const keys = marker === undefined ? [] : [marker.key]
  for (const { bucket } of buckets) keys.push(bucket)
  return { keys, args: (timeMs) => [wordsOf(request, timeMs)] }
}

function wordsOf({ buckets, groups, marker }: GrantRequest, timeMs: number): string {
  let words = markerWord(marker)
  for (const { windowLength, floor, addition } of buckets) {
    words += ` ${windowWord(timeMs, windowLength)}`
    words += floor === undefined ? ' 0 0 0' : ` ${floor.window} ${floor.epoch} ${floor.count}`
    words += addition === undefined ? ' 0 0' : ` ${addition.window} ${addition.count}`
  }
  for (const { asked, limits } of groups) {
    words += ` ${asked} ${limits.length}`
    for (const { index, calls } of limits) words += ` ${index + 1} ${calls}`
  }
  return words
}

function markerWord(marker: MarkerCheck | undefined): string {
  if (marker === undefined) return '-'
  const { settleMs, knowledge } = marker
  if (knowledge === undefined) return String(settleMs)
  const { runId, stale = '', vouched = '', answered = '', living } = knowledge
  // Some servers use a name as run id; the script reads only letters and digits.
  const run = /^[\dA-Za-z]*$/.test(runId) ? runId : Buffer.from(runId).toString('hex')
  return `${settleMs}/${run}/${stale}/${vouched}/${answered}/${living.join(',')}`
}

/**
 * Reads the reply of `grant.lua`; only this file knows its layout. Groups are
 * read in order, with one {@link GrantReply.nextGroup} each.
 */
export interface GrantReply {
  /** Milliseconds since 1970 by the server's clock. */
  readonly serverTimeMs: number
  /** Changes after a loss of counters; 0 when the request named no marker. */
  readonly marker: number
  /**
   * Whether the server granted and added nothing, because it lost counters and
   * waits for processes to push what they know.
   */
  readonly isSettling: boolean
  /** The bucket's window. */
  windowOf(index: number): number
  /** When that window ends, in milliseconds since 1970 by the server's clock. */
  endsAtOf(index: number): number
  epochOf(index: number): number
  /** Count of the bucket after the whole batch. */
  countOf(index: number): number
  /** The stored value was malformed and was replaced. */
  isDamaged(index: number): boolean
  /** Number of calls granted to the next group. */
  nextGroup(): number
  /** Count after that group, for the bucket of each of its limits in order. */
  nextCount(): number
}

/** @param buckets those of the request */
export function readGrantReply(
  reply: readonly number[],
  buckets: readonly Pick<BucketWindow, 'windowLength'>[],
): GrantReply {
  let at = 3 + buckets.length * 4
  function number(index: number): number {
    const value = reply[index]
    if (value === undefined) throw new Error('grant.lua and its reader disagree')
    return value
  }
  return {
    serverTimeMs: number(0),
    marker: number(1),
    isSettling: number(2) === 1,
    windowOf: (index) => number(3 + index * 4),
    endsAtOf: (index) => windowEnd(number(3 + index * 4), buckets[index]?.windowLength ?? 0),
    epochOf: (index) => number(4 + index * 4),
    countOf: (index) => number(5 + index * 4),
    isDamaged: (index) => number(6 + index * 4) === 1,
    nextGroup: () => number(at++),
    nextCount: () => number(at++),
  }
}

/** The server's time, if a script did nothing because the process sent other windows than the current one. */
export function timeOfWindowsError({ message }: Error): number | undefined {
  const time = /^WINDOWS (\d+)$/.exec(message)?.[1]
  return time === undefined ? undefined : Number(time)
}

/** Parses a script reply: whole numbers separated by spaces. */
export function readNumbers(words: string): number[] {
  return words.split(' ').map(Number)
}

function readScript(name: string): Script {
  const [prelude, own] = ['window.lua', name].map((file) =>
    readFileSync(new URL(file, import.meta.url), 'utf8'),
  )
  const text = `${prelude}${own}`
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}
