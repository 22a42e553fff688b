import { sampleHash } from '../gateway/counters/count-samples.ts'
import type { CountSample } from '../platform/count-sample.ts'
import type { ToldSamples } from '../registry/processes/count-samples.ts'

/** A range of numbers, both ends included. */
export interface NumberRange {
  readonly from: number
  readonly to: number
}

/** What the samples of all processes say about one bucket in one window. */
export interface WindowVerdict {
  readonly bucket: string
  readonly window: number
  /** The highest number that was given by the first question. */
  readonly count: number
  /** Numbers that more than one call got, with the processes that gave them. */
  readonly twice: readonly (NumberRange & { readonly by: readonly string[] })[]
  /** Numbers that no process says it gave. */
  readonly missing: readonly NumberRange[]
  /** Calls admitted without the store, which it counted afterwards: they explain missing numbers. */
  readonly local: number
}

/** What all samples say. */
export interface WindowVerdicts {
  /** Share of the buckets that every process samples: 1 is all. */
  readonly share: number
  readonly verdicts: readonly WindowVerdict[]
}

interface Run extends NumberRange {
  readonly by: string
}

/**
 * Merges what processes reported. They were asked twice, because they answer at
 * different moments: each number up to the highest of the first answers was
 * given before the second question, so it is in the second answers.
 *
 * @param first and `second`: the answers of the processes that run
 * @param ended what processes reported when they ended
 */
export function judgeWindows(
  first: readonly ToldSamples[],
  second: readonly ToldSamples[],
  ended: readonly ToldSamples[],
): WindowVerdicts {
  // A process may end after it has answered.
  const over = new Set(ended.map((told) => told.process))
  const all = [...second.filter((told) => !over.has(told.process)), ...ended]
  const share = Math.min(1, ...second.map((told) => told.share))
  const newest = newestWindows([...first, ...all])
  const highest = new Map<string, number>()
  for (const { key, sample } of samplesOf([...first, ...ended])) {
    for (const number of sample.runs) highest.set(key, Math.max(highest.get(key) ?? 0, number))
  }
  const groups = Map.groupBy(samplesOf(all), ({ key }) => key)
  const verdicts = [...groups].flatMap(([key, samples]) => {
    const [{ sample } = { sample: undefined }] = samples
    if (sample === undefined || sampleHash(sample.bucket) >= share) return []
    if (samples.some((each) => each.sample.isReset || each.sample.isCut)) return []
    // Of an older window, a process that has had later calls remembers nothing.
    if (sample.window < (newest.get(sample.bucket) ?? 0) - 1) return []
    const { bucket, window } = sample
    const count = highest.get(key) ?? 0
    const runs = samples.flatMap(({ by, sample }) => runsOf(sample, by, count))
    const local = samples.reduce((sum, each) => sum + each.sample.local, 0)
    return [{ bucket, window, count, ...compare(runs, count), local }]
  })
  return { share, verdicts }
}

/** The newest window of each bucket that any process knows. */
function newestWindows(told: readonly ToldSamples[]): ReadonlyMap<string, number> {
  const newest = new Map<string, number>()
  for (const { sample } of samplesOf(told)) {
    newest.set(sample.bucket, Math.max(newest.get(sample.bucket) ?? 0, sample.window))
  }
  return newest
}

function samplesOf(told: readonly ToldSamples[]) {
  return told.flatMap(({ host, pid, samples }) =>
    samples.map((sample) => ({
      key: `${sample.bucket} ${sample.window}`,
      by: `${host}:${pid}`,
      sample,
    })),
  )
}

function runsOf({ runs }: CountSample, by: string, count: number): Run[] {
  const found: Run[] = []
  for (let at = 0; at < runs.length; at += 2) {
    const [from = 0, to = 0] = runs.slice(at, at + 2)
    if (from <= count) found.push({ from, to: Math.min(to, count), by })
  }
  return found
}

/** Worked example: 1–4 by a, 4–6 by b and 9 by a, of 9: 4 was given twice, 7–8 is missing. */
function compare(runs: readonly Run[], count: number): Pick<WindowVerdict, 'twice' | 'missing'> {
  const twice: (NumberRange & { by: readonly string[] })[] = []
  const missing: NumberRange[] = []
  let reached: Run = { from: 0, to: 0, by: '' }
  for (const run of runs.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    if (run.from <= reached.to) {
      const by = [...new Set([reached.by, run.by])]
      twice.push({ from: run.from, to: Math.min(run.to, reached.to), by })
    } else if (run.from > reached.to + 1) missing.push({ from: reached.to + 1, to: run.from - 1 })
    if (run.to > reached.to) reached = run
  }
  if (reached.to < count) missing.push({ from: reached.to + 1, to: count })
  return { twice, missing }
}
