import cluster, { type Worker } from 'node:cluster'
import type { FromWorker, MetricsSnapshot, ToWorker, WorkerStart, WorkerState } from './messages.ts'

/** How a worker ended. */
export interface WorkerEnd {
  readonly code: number | null
  readonly signal: string | null
}

/** One worker, from its fork to its end. */
export interface WorkerProcess {
  readonly pid: number | undefined
  /** Whether it listens and has not been told to stop. */
  readonly isServing: boolean
  /** What it said last of what it needs. */
  readonly states: readonly WorkerState[]
  /** What it had counted when it was last asked, or said by itself. */
  readonly lastMetrics: MetricsSnapshot
  /** Resolves when its process is gone. */
  readonly ended: Promise<WorkerEnd>
  /**
   * Lets it begin. Resolves to the origin it listens on.
   *
   * @param start asked when it has loaded: a configuration may come meanwhile, and what it is told before its start is lost
   * @throws {WorkerRefused} what keeps it from starting
   */
  start(start: () => WorkerStart): Promise<string>
  /** Says something to it; without effect when it is gone. */
  tell(message: ToWorker): void
  /** Asks for its metrics; one that does not answer in time is shown as it was. */
  collect(): Promise<MetricsSnapshot>
  /** Lets it finish what is under way; one that takes longer than `timeoutMs` is killed. Resolves when it is gone. */
  stop(timeoutMs: number): Promise<void>
  kill(): void
}

/** A worker could not start. Its message is fit for the operator. */
export class WorkerRefused extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'WorkerRefused'
  }
}

/** A worker that has not begun to listen by then never will. */
const startMs = 30_000
/** A scrape waits so long for a worker. */
const collectMs = 1_000

/** Forks a worker; it does nothing before {@link WorkerProcess.start}. */
export function forkWorker(): WorkerProcess {
  const worker: Worker = cluster.fork()
  const loaded = Promise.withResolvers<void>()
  const listening = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<WorkerEnd>()
  const questions = new Map<number, (metrics: MetricsSnapshot) => void>()
  let states: readonly WorkerState[] = []
  let lastMetrics: MetricsSnapshot = []
  let isServing = false
  let questionId = 0
  listening.promise.catch(() => undefined)

  // Parse boundary: only worker.ts of this program writes into the channel.
  worker.on('message', (message: FromWorker) => {
    switch (message.kind) {
      case 'loaded':
        return loaded.resolve()
      case 'listening':
        isServing = true
        return listening.resolve(message.origin)
      case 'refused':
        return listening.reject(new WorkerRefused(message.reason))
      case 'states':
        states = message.states
        return
      case 'metrics':
        lastMetrics = message.metrics
        if (message.id !== undefined) questions.get(message.id)?.(message.metrics)
    }
  })
  // A channel that breaks is followed by the end of the process.
  worker.on('error', () => undefined)
  worker.once('exit', (code, signal) => {
    isServing = false
    // What it said last may still be on its way.
    if (worker.isConnected()) worker.once('disconnect', () => end({ code, signal }))
    else end({ code, signal })
  })

  function end({ code, signal }: WorkerEnd): void {
    const how = signal === null ? `exit code ${code}` : signal
    listening.reject(new WorkerRefused(`a worker ended with ${how} before it listened`))
    loaded.resolve()
    for (const answer of questions.values()) answer(lastMetrics)
    ended.resolve({ code, signal })
  }

  function tell(message: ToWorker): void {
    if (!worker.isConnected()) return
    worker.send(message, () => undefined)
  }

  return {
    pid: worker.process.pid,
    get isServing() {
      return isServing
    },
    get states() {
      return states
    },
    get lastMetrics() {
      return lastMetrics
    },
    ended: ended.promise,
    tell,
    async start(start) {
      const tooLong = setTimeout(() => {
        listening.reject(new WorkerRefused(`a worker did not listen within ${startMs} ms`))
        worker.process.kill('SIGKILL')
      }, startMs)
      try {
        await loaded.promise
        tell({ kind: 'start', start: start() })
        return await listening.promise
      } finally {
        clearTimeout(tooLong)
      }
    },
    collect() {
      if (!worker.isConnected()) return Promise.resolve(lastMetrics)
      questionId += 1
      const id = questionId
      const answer = Promise.withResolvers<MetricsSnapshot>()
      const timer = setTimeout(() => answer.resolve(lastMetrics), collectMs)
      questions.set(id, answer.resolve)
      tell({ kind: 'metrics', id })
      return answer.promise.finally(() => {
        clearTimeout(timer)
        questions.delete(id)
      })
    },
    async stop(timeoutMs) {
      isServing = false
      tell({ kind: 'stop' })
      const timer = setTimeout(() => worker.process.kill('SIGKILL'), timeoutMs)
      await ended.promise
      clearTimeout(timer)
    },
    kill: () => void worker.process.kill('SIGKILL'),
  }
}
