import { setTimeout as delay } from 'node:timers/promises'
import type { Probe } from '../../test/support/read-probe.ts'
import type { PinnedProcess } from './process.ts'
import type { RequestList } from './workload.ts'
import { load } from './wrk.ts'

/** Something to load, and how. */
export interface Subject {
  readonly name: string
  readonly target: PinnedProcess
  /** Origin. */
  readonly url: string
  readonly list: RequestList
  /** The status every answer is to have. */
  readonly expect: number
  /**
   * Loaded for this time before each round, without being measured, and measured
   * without a rest in between: as under a load that never ends. What it still
   * owes earlier calls (records, usage) is then as much as what it will owe the
   * measured ones. (Default: 0, and it is measured until all is written)
   */
  readonly warmSeconds?: number
  /** How long after its answers the target may still work on its calls. (Default: 0) */
  readonly settleMs?: number
  /** Undefined: what it allocates is not known. */
  readonly readProbe?: Probe
}

/** What one round showed of one subject. */
export interface Round {
  readonly requests: number
  /** Answers of another kind than expected. */
  readonly unexpected: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of the target over calls served; the figure that compares on a small machine. */
  readonly cpuMicrosecondsPerCall: number
  /** Heap that V8 allocated over calls served, which no noise touches; NaN if not known. */
  readonly bytesPerCall: number
}

/** What all measured rounds showed of one subject. */
export interface Measured {
  readonly subject: Subject
  readonly rounds: readonly Round[]
  /** Resident memory after the warm-up. */
  readonly warmBytes: number
  /** Resident memory at the end. */
  readonly residentBytes: number
}

export interface RoundsOptions {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

/**
 * Loads the subjects in turn, round after round; every second round goes the
 * other way, so that no subject always follows the same one. The first round
 * warms up and is not among the results.
 */
export async function runRounds(
  subjects: readonly Subject[],
  options: RoundsOptions,
): Promise<Measured[]> {
  const results = new Map<Subject, Round[]>(subjects.map((subject) => [subject, []]))
  const warm = new Map<Subject, number>()
  const residentOf = ({ target }: Subject): number => target.residentBytes()
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const result = await measure(subject, round, options)
      if (round > 0) results.get(subject)?.push(result)
    }
    if (round === 0) for (const subject of subjects) warm.set(subject, residentOf(subject))
    process.stderr.write(`round ${round} of ${options.rounds}\n`)
  }
  return subjects.map((subject) => ({
    subject,
    rounds: results.get(subject) ?? [],
    warmBytes: warm.get(subject) ?? Number.NaN,
    residentBytes: residentOf(subject),
  }))
}

/** Every round begins elsewhere in the list (a prime, so that it takes long to come round). */
const stride = 7_919

async function measure(subject: Subject, round: number, options: RoundsOptions): Promise<Round> {
  const { target, url, list, expect, warmSeconds = 0, settleMs = 0, readProbe } = subject
  const allocated = async () => (await readProbe?.())?.allocatedBytes ?? Number.NaN
  const { connections } = options
  if (warmSeconds > 0) {
    const begin = (round + 1) * stride * 2
    await load({ url, list, begin, seconds: warmSeconds, connections, expect: undefined })
  }
  const allocatedBefore = await allocated()
  const before = target.cpuMicroseconds()
  const { requests, unexpected, seconds, p50Ms, p99Ms } = await load({
    url,
    list,
    begin: round * stride,
    seconds: options.seconds,
    connections,
    expect: round === 0 ? undefined : expect,
  })
  const loaded = target.cpuMicroseconds()
  await delay(settleMs)
  const used = (warmSeconds > 0 ? loaded : target.cpuMicroseconds()) - before
  return {
    requests,
    unexpected,
    perSecond: requests / seconds,
    p50Ms,
    p99Ms,
    cpuMicrosecondsPerCall: used / requests,
    bytesPerCall: ((await allocated()) - allocatedBefore) / requests,
  }
}
