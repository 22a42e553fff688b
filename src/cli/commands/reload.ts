import { setTimeout as delay } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { shortDigest } from '../../gateway/operate/configuration-metrics.ts'
import type { Stores } from '../../portal/stores/stores.ts'
import type { LivingProcess, Processes, UnseenProcess } from '../../registry/processes/processes.ts'
import { ReportedError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { drawTable, printable } from '../output.ts'
import { refuseTakingAway } from '../taking-away.ts'
import { type JsonOption, parseWhole } from './options.ts'

interface ReloadOptions extends JsonOption {
  /** Seconds; true: as long as is usual. */
  readonly wait?: number | true
  readonly force?: boolean
}

/** Time in which a process answers when its files are there. */
const answerSeconds = 20
const waitSeconds = 60
/** Files reach hosts at different times, so processes that lag are asked again. */
const askAgainMs = 5_000
const lookMs = 200

export function registerReload(command: Command, context: CommandContext): void {
  addExamples(command, [
    'tollgate check && tollgate reload --wait',
    'tollgate reload --wait 120 --json',
  ])
    .description(
      'Apply changed API documents, plans, brand, certificates, authorities and revocation lists in all running processes. Each process reads the files of its own machine; invalid files change nothing there. Without --force, refuses files that lack a version, an operation or a plan with subscriptions (exit code 3). Lists every process that reports to the registry with the digest of its configuration.',
    )
    .option(
      '--wait [seconds]',
      `ask until every process serves the files that this command reads; exit with code 1 if one does not after that time, or was not seen any more within the last hour and did not end in order (default: ${waitSeconds})`,
      (text) => parseSeconds(text),
    )
    .option('--force', 'even if this removes what applications use')
    .option('--json', 'print {"versions","plans","digest","isComplete","processes"}')
    .action(async ({ wait, force, json }: ReloadOptions) => {
      const catalogue = await context.catalogue()
      const { digest } = catalogue
      const outcomes = await context.registry(async (stores) => {
        if (force !== true) await refuseTakingAway({ stores, context, proposed: catalogue })
        return reloadAll({
          stores,
          by: context.actor,
          isForced: force === true,
          digest,
          seconds: wait === true ? waitSeconds : wait,
        })
      })
      const versions = [...catalogue.versions.keys()]
      const plans = [...catalogue.plans.keys()]
      const isComplete = outcomes.every(({ state }) => state === 'current')
      const answer = { versions, plans, digest, isComplete, processes: outcomes }
      const isEmbedded = context.settings().databaseUrl === undefined
      context.output.result(json, answer, () =>
        [
          `The configuration ${shortDigest(digest)} is valid (${versions.join(', ')}; plans ${plans.join(', ')}).`,
          ...drawOutcomes(outcomes, isEmbedded),
        ].join('\n'),
      )
      const hasFailed = outcomes.some(
        ({ state }) => state !== 'current' && (wait !== undefined || state !== 'unseen'),
      )
      if (hasFailed) throw new ReportedError()
    })
}

function parseSeconds(text: string): number {
  try {
    return parseWhole(text, 1, 3_600)
  } catch {
    throw new InvalidArgumentError('It must be a number of seconds from 1 to 3600.')
  }
}

/** What became of the reload in one process. */
interface Outcome {
  readonly roles: string
  readonly host: string
  readonly pid: number
  /** Version of the package. */
  readonly version: string
  readonly generation: number
  /** When the process made its configuration active, by the clock of the database. */
  readonly loadedAt: string
  readonly digest: string
  /** `differs`: it read other files. `waiting`: it has not answered. `unseen`: it no longer reports. */
  readonly state: 'current' | 'refused' | 'differs' | 'waiting' | 'unseen'
  /** Why it keeps the configuration from before; null unless `refused`. */
  readonly reason: string | null
  /** When it reported last; null unless `unseen`. */
  readonly seenAt: string | null
}

interface ReloadAllOptions {
  readonly stores: Pick<Stores, 'changes' | 'processes'>
  readonly by: string
  /** Further facts for the audit. */
  readonly isForced: boolean
  /** Digest of the configuration that the processes should serve. */
  readonly digest: string
  /** Undefined: only until each process has answered, well or not. */
  readonly seconds: number | undefined
}

async function reloadAll(options: ReloadAllOptions): Promise<readonly Outcome[]> {
  const { stores, by, isForced, digest, seconds } = options
  const before = await judgedBefore(stores.processes)
  const until = performance.now() + (seconds ?? answerSeconds) * 1000
  let askAt = 0
  for (;;) {
    if (performance.now() >= askAt) {
      await stores.changes.askForReload({ by, ...(isForced && { forced: 'true' }) })
      askAt = seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + askAgainMs
    }
    await delay(lookMs)
    const living = await stores.processes.living()
    const outcomes = living.map((found) => outcomeOf(found, digest, before.get(found.id)))
    const isDone =
      seconds === undefined
        ? outcomes.every(({ state }) => state !== 'waiting')
        : outcomes.every(({ state }) => state === 'current')
    if (isDone || performance.now() > until) {
      return [...outcomes, ...(await stores.processes.unseen()).map(unseenOutcome)]
    }
  }
}

/** The number of reloads that each process had judged. */
async function judgedBefore(processes: Processes): Promise<ReadonlyMap<string, number>> {
  return new Map((await processes.living()).map(({ id, judged }) => [id, judged]))
}

/** @param before undefined: the process has started since */
function outcomeOf(found: LivingProcess, digest: string, before: number | undefined): Outcome {
  const hasAnswered = before === undefined || found.judged > before
  return {
    ...factsOf(found),
    state: stateOf(found, digest, hasAnswered),
    reason: hasAnswered ? found.refused : null,
    seenAt: null,
  }
}

function unseenOutcome(found: UnseenProcess): Outcome {
  return { ...factsOf(found), state: 'unseen', reason: null, seenAt: found.seenAt.toISOString() }
}

function factsOf({ roles, host, pid, version, generation, loadedAt, digest }: LivingProcess) {
  return { roles, host, pid, version, generation, loadedAt: loadedAt.toISOString(), digest }
}

function stateOf(found: LivingProcess, digest: string, hasAnswered: boolean): Outcome['state'] {
  if (!hasAnswered) return 'waiting'
  if (found.refused !== null) return 'refused'
  return found.digest === digest ? 'current' : 'differs'
}

function drawOutcomes(outcomes: readonly Outcome[], isEmbedded: boolean): readonly string[] {
  if (outcomes.length === 0) return ['No process runs; the next start reads it.']
  const table = drawTable(outcomes, {
    Role: 'roles',
    Host: 'host',
    Process: 'pid',
    Generation: 'generation',
    Since: 'loadedAt',
    Digest: ({ digest }) => shortDigest(digest),
    State: 'state',
  })
  return [
    table,
    ...outcomes.flatMap((outcome) => remarkOn(outcome, isEmbedded)),
    summaryOf(outcomes),
    notListed,
  ]
}

const notListed =
  'This list leaves out processes that have never reached this database, and a bank with a database of its own.'

function remarkOn(
  { roles, host, pid, state, digest, reason, seenAt }: Outcome,
  isEmbedded: boolean,
): readonly string[] {
  const who = `${roles} ${host}:${pid}`
  switch (state) {
    case 'current':
      return []
    case 'refused':
      return [
        `${who} refused its files and keeps the configuration from before (${shortDigest(digest)}):`,
        ...(reason ?? '').split('\n').map((line) => `  ${printable(line)}`),
      ]
    case 'differs':
      return [
        `${who} read other files: ${shortDigest(digest)}. ${isEmbedded ? 'If it started without the folder config, it still serves the samples: restart it.' : 'Compare the files on its machine.'}`,
      ]
    case 'waiting':
      return [`${who} has not answered yet.`]
    case 'unseen':
      return [
        `${who} reported last at ${seenAt} and did not end in order. Make sure that it does not run. It is listed for an hour.`,
      ]
  }
}

function summaryOf(outcomes: readonly Outcome[]): string {
  const current = outcomes.filter(({ state }) => state === 'current').length
  return current === outcomes.length
    ? 'Every listed process serves it.'
    : `${current} of ${outcomes.length} listed processes serve it.`
}
