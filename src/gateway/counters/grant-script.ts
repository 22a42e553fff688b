import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { PeekedBucket } from './counter.ts'
import { tagOfSlot } from './hash-slot.ts'

/** A Lua script and the name Redis knows it by. */
export interface Script {
  readonly text: string
  readonly sha1: string
}

/** Decides a batch of calls; see `grant.lua`. */
export const grantScript = readScript('grant.lua')

/** Resets one bucket; see `reset.lua`. */
export const resetScript = readScript('reset.lua')

/** Tells that a process counts; see `heartbeat.lua`. */
export const heartbeatScript = readScript('heartbeat.lua')

/** What tells, beside the buckets, whether a server still has its counters. */
export interface MarkerPlace {
  /** Holds `<run id>:<µs since 1970>` of the moment from which on this server's counters are complete. */
  readonly key: string
  /** Counts nothing; a grant on it proves that the server can write. In the slot of the marker. */
  readonly probe: PeekedBucket
}

/** The place on a server that holds all buckets. */
export const onlyPlace: MarkerPlace = {
  key: 'tollgate:marker',
  probe: { bucket: 'tollgate:{probe}:1', windowSeconds: 1 },
}

/** The place on a server that holds this slot of a cluster. */
export function placeInSlot(slot: number): MarkerPlace {
  const tag = tagOfSlot(slot)
  return {
    key: `tollgate:marker:{${tag}}`,
    probe: { bucket: `tollgate:probe:{${tag}}:1`, windowSeconds: 1 },
  }
}

/** The moment in a marker's value, undefined for what is none. */
export function markerOf(value: string | undefined): number | undefined {
  const made = /^\w*:(\d+)$/.exec(value ?? '')?.[1]
  return made === undefined ? undefined : Number(made)
}

/** What a process says of a bucket when it asks about it. */
export interface BucketClaim extends PeekedBucket {
  /** The highest confirmed count this process has seen. */
  readonly floor?: BucketCount | undefined
  readonly addition?: Addition | undefined
}

/** Calls admitted without the store, to be added to the count of their window. */
export interface Addition extends PeekedBucket {
  readonly window: number
  readonly count: number
}

/** A count and what it is a count of. */
export interface BucketCount {
  readonly window: number
  /** Raised by each reset; what has a lower one says nothing any more. */
  readonly epoch: number
  readonly count: number
}

/** So many calls that all ask for the same buckets under the same limits. */
export interface CallGroup {
  readonly asked: number
  readonly limits: readonly {
    /** Place of the bucket in the request, from 0. */
    readonly index: number
    readonly calls: number
  }[]
}

export interface GrantRequest {
  readonly buckets: readonly BucketClaim[]
  readonly groups: readonly CallGroup[]
  /** Undefined when it lies in another slot than the buckets. */
  readonly marker?: MarkerClaim | undefined
}

/** What a process says of the marker of a server. */
export interface MarkerClaim {
  readonly key: string
  /** After counters were lost nothing is granted for so long. */
  readonly settleMs: number
  readonly knowledge?: MarkerKnowledge
}

/** What decides whether a marker is good. */
export interface MarkerKnowledge {
  /** Of the server, as INFO told it; empty when it did not. */
  readonly runId: string
  /** From before another server took over: to be replaced as if it were missing. */
  readonly stale?: number | undefined
  /** To be written if it is missing or of another run, although nothing was lost. */
  readonly vouched?: number | undefined
}

/** Writes the keys and arguments of `grant.lua`. */
export function grantCommand({ buckets, groups, marker }: GrantRequest): {
  keys: string[]
  args: [string]
} {
  const keys = marker === undefined ? [] : [marker.key]
  let words = markerWord(marker)
  for (const { bucket, windowSeconds, floor, addition } of buckets) {
    keys.push(bucket)
    words += ` ${windowSeconds * 1000}`
    words += floor === undefined ? ' 0 0 0' : ` ${floor.window} ${floor.epoch} ${floor.count}`
    words += addition === undefined ? ' 0 0' : ` ${addition.window} ${addition.count}`
  }
  for (const { asked, limits } of groups) {
    words += ` ${asked} ${limits.length}`
    for (const { index, calls } of limits) words += ` ${index + 1} ${calls}`
  }
  return { keys, args: [words] }
}

function markerWord(marker: MarkerClaim | undefined): string {
  if (marker === undefined) return '-'
  const { settleMs, knowledge } = marker
  if (knowledge === undefined) return String(settleMs)
  const { runId, stale = '', vouched = '' } = knowledge
  // Some servers are known by a name; the script reads letters and digits.
  const run = /^[\dA-Za-z]*$/.test(runId) ? runId : Buffer.from(runId).toString('hex')
  return `${settleMs}/${run}/${stale}/${vouched}`
}

/**
 * Reads the reply of `grant.lua`: where each number lies is known here only.
 * Groups are read in order, one {@link GrantReply.nextGroup} each.
 */
export interface GrantReply {
  /** Milliseconds since 1970 by the clock of the server. */
  readonly serverTimeMs: number
  /** Differs after counters were lost; 0 when the request named no marker. */
  readonly marker: number
  /** Nothing was granted and nothing added, because counters were lost a moment ago. */
  readonly isSettling: boolean
  windowOf(index: number): number
  epochOf(index: number): number
  /** After the whole batch. */
  countOf(index: number): number
  /** Its stored value made no sense and was replaced. */
  isDamaged(index: number): boolean
  /** Calls granted to the next group. */
  nextGroup(): number
  /** Count after that group, of the bucket of each of its limits in order. */
  nextCount(): number
}

/** @param buckets how many the request had */
export function readGrantReply(reply: readonly number[], buckets: number): GrantReply {
  let at = 3 + buckets * 4
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
    epochOf: (index) => number(4 + index * 4),
    countOf: (index) => number(5 + index * 4),
    isDamaged: (index) => number(6 + index * 4) === 1,
    nextGroup: () => number(at++),
    nextCount: () => number(at++),
  }
}

/** Reads the reply of a script of ours: whole numbers with spaces between them. */
export function readNumbers(words: string): number[] {
  return words.split(' ').map(Number)
}

function readScript(name: string): Script {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8')
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}
