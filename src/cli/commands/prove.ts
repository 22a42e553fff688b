import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Stores } from '../../portal/stores/stores.ts'
import type { ToldSamples } from '../../registry/processes/count-samples.ts'
import type { LivingProcess } from '../../registry/processes/processes.ts'
import { ReportedError, UsageError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import {
  judgeWindows,
  type NumberRange,
  type WindowVerdict,
  type WindowVerdicts,
} from '../judge-window.ts'
import { drawTable } from '../output.ts'
import type { JsonOption } from './options.ts'

interface ProveOptions extends JsonOption {
  readonly window?: boolean
}

/** Time in which a process answers: it reads changes twice a second. */
const answerMs = 5_000
/** A number that was given before the first answers has reached its process, or never will. */
const settledMs = 1_000
const lookMs = 100
/** Rows shown of each kind; `--json` has all. */
const shownMax = 20

export function registerProve(command: Command, context: CommandContext): void {
  addExamples(command, ['tollgate prove --window', 'tollgate prove --window --json'])
    .description(
      'Ask every gateway which numbers its calls got in the current and the previous window of each limit, and compare them: among n admitted calls, each number from 1 to n must occur once. Exit code 1: a number occurs twice, for example with two Redis primaries, or a gateway does not answer.',
    )
    .option('--window', 'the windows in progress and the last ones (required)')
    .option('--json', 'print {"processes","silent","windows","calls","twice","missing"}')
    .action(async ({ window, json }: ProveOptions) => {
      if (window !== true) throw new UsageError('say what to prove: --window')
      const { told, silent, share, verdicts } = await context.registry((stores) =>
        ask(stores, context.actor),
      )
      const twice = verdicts.filter((verdict) => verdict.twice.length > 0)
      const missing = verdicts.filter((verdict) => verdict.missing.length > 0)
      const calls = verdicts.reduce((sum, { count }) => sum + count, 0)
      const report = {
        processes: told.map(({ host, pid, share }) => ({ host, pid, share })),
        silent: silent.map(({ host, pid }) => ({ host, pid })),
        windows: verdicts.length,
        calls,
        twice,
        missing,
      }
      context.output.result(json, report, () =>
        [
          summaryOf({ processes: told.length, share, verdicts, calls }),
          ...silent.map(
            ({ host, pid }) => `${host}:${pid} did not answer: its calls are not in the proof.`,
          ),
          ...drawTwice(twice),
          ...drawMissing(missing),
        ].join('\n'),
      )
      if (twice.length > 0 || silent.length > 0) throw new ReportedError()
    })
}

async function ask(stores: Pick<Stores, 'changes' | 'countSamples' | 'processes'>, by: string) {
  const living = (await stores.processes.living()).filter(({ roles }) => roles.includes('gateway'))
  const first = await answers(stores, living, by)
  await delay(settledMs)
  const second = await answers(stores, living, undefined)
  const ended = await stores.countSamples.ended()
  const silent = living.filter((found) => {
    // What is older than the process is from a predecessor: a container that restarts keeps its host name and its
    // process id.
    const own = ended.filter(({ at }) => at > found.startedAt)
    return !hasAnswered(found, [...second, ...own])
  })
  return { told: second, silent, ...judgeWindows(first, second, ended) }
}

/**
 * Resolves when every process has answered, or has had its time.
 *
 * @param by undefined: the second question of a proof, which is in the audit log
 */
async function answers(
  { changes, countSamples }: Pick<Stores, 'changes' | 'countSamples'>,
  living: readonly LivingProcess[],
  by: string | undefined,
): Promise<readonly ToldSamples[]> {
  const proof = randomUUID()
  const until = performance.now() + answerMs
  await changes.announce({ kind: 'counter', action: 'prove', detail: { proof } }, { by })
  try {
    for (;;) {
      const told = await countSamples.told(proof)
      if (living.every((found) => hasAnswered(found, told)) || performance.now() > until)
        return told
      await delay(lookMs)
    }
  } finally {
    await countSamples.remove(proof)
  }
}

function hasAnswered({ host, pid }: LivingProcess, told: readonly ToldSamples[]): boolean {
  return told.some((each) => each.host === host && each.pid === pid)
}

function summaryOf({
  processes,
  share,
  verdicts,
  calls,
}: WindowVerdicts & { readonly processes: number; readonly calls: number }): string {
  const answered = `${numberOf(processes, 'process', 'processes')} answered`
  if (verdicts.length === 0) return `${answered}: there are no calls to compare.`
  const isOnce = verdicts.every(({ twice, missing }) => twice.length + missing.length === 0)
  const sampled =
    share < 1 ? ` These are ${share * 100} % of the buckets, the same in each process.` : ''
  const compared = `${numberOf(calls, 'call', 'calls')} in ${numberOf(verdicts.length, 'window', 'windows')}`
  return `${answered}: ${compared}${isOnce ? ', each number from 1 to n once' : ''}.${sampled}`
}

function numberOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

const windowColumns = {
  Bucket: 'bucket',
  Window: 'window',
  n: 'count',
  Numbers: 'numbers',
} as const

function drawTwice(verdicts: readonly WindowVerdict[]): readonly string[] {
  if (verdicts.length === 0) return []
  const rows = verdicts.flatMap(({ bucket, window, count, twice }) =>
    twice.map(({ by, ...range }) => ({
      bucket,
      window,
      count,
      numbers: rangeOf(range),
      by: by.join(', '),
    })),
  )
  return [
    '',
    'Given twice: these calls were counted in two places. Look for two primaries of Redis, or a gateway with another REDIS_URL.',
    drawTable(rows.slice(0, shownMax), { ...windowColumns, By: 'by' }),
  ]
}

function drawMissing(verdicts: readonly WindowVerdict[]): readonly string[] {
  if (verdicts.length === 0) return []
  const rows = verdicts.map(({ bucket, window, count, missing, local }) => ({
    bucket,
    window,
    count,
    numbers: missing.map(rangeOf).join(', '),
    local,
  }))
  return [
    '',
    'Missing: counted, but no process that answered gave them. A process that was killed takes its numbers along; Redis counts calls admitted without it afterwards; and a count that comes too late is given up. Each errs towards fewer calls.',
    drawTable(rows.slice(0, shownMax), { ...windowColumns, 'Without Redis': 'local' }),
  ]
}

function rangeOf({ from, to }: NumberRange): string {
  return from === to ? String(from) : `${from}–${to}`
}
