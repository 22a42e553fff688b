import cluster, { type Worker } from 'node:cluster'
import { closeWithWorker } from './handed-over.ts'
import type {
  FromWorker,
  MetricsSnapshot,
  PublishedMessage,
  ToWorker,
  WorkerStart,
  WorkerState,
} from './messages.ts'

/** How a worker ended. */
export interface WorkerEnd {
  readonly code: number | null
  readonly signal: string | null
}

/** One worker process, from its fork to its end. */
export interface WorkerProcess {
  readonly pid: number | undefined
  /** Whether it listens and was not asked to stop. */
  readonly isServing: boolean
  /** Its last reported dependency states. */
  readonly states: readonly WorkerState[]
  /** Its metrics from the last collection, or the final ones it sent by itself. */
  readonly lastMetrics: MetricsSnapshot
  /** Resolves when the process has ended. */
  readonly ended: Promise<WorkerEnd>
  /**
   * Starts the worker. Resolves to the origin it listens on.
   *
   * @param start called when the worker has loaded, because a message before
   * its start would be lost
   * @throws {WorkerRefused} why it cannot start
   */
  start(start: () => WorkerStart): Promise<string>
  /** Sends it a message; has no effect after it ended. */
  tell(message: ToWorker): void
  /** Sends it a configuration. Resolves when it serves that or has ended. @throws when it does not reply in time */
  publish(published: PublishedMessage): Promise<void>
  /** Collects its metrics. If it does not reply in time, returns the previous ones. */
  collect(): Promise<MetricsSnapshot>
  /** Lets it finish its calls and kills it after `timeoutMs`. Resolves when it has ended. */
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

/** Time a worker has to load and listen. */
const startMs = 30_000
/** Time a worker has to take a configuration. */
const publishMs = 10_000
/** Time a scrape waits for a worker. */
const collectMs = 1_000

/** Forks a worker. It does nothing until {@link WorkerProcess.start}. */
export function forkWorker(): WorkerProcess {
  const worker: Worker = cluster.fork()
  closeWithWorker(worker.process)
  const loaded = Promise.withResolvers<void>()
  const listening = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<WorkerEnd>()
  const questions = new Map<number, (metrics: MetricsSnapshot) => void>()
  const publications = new Map<number, () => void>()
  let states: readonly WorkerState[] = []
  let lastMetrics: MetricsSnapshot = []
  let isServing = false
  let questionId = 0
  listening.promise.catch(() => undefined)

  // Parse boundary: only this program's worker.ts writes to the channel.
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
      case 'published':
        return publications.get(message.generation)?.()
      case 'metrics':
        lastMetrics = message.metrics
        if (message.id !== undefined) questions.get(message.id)?.(message.metrics)
    }
  })
  // After a broken channel the `exit` event of the process follows.
  worker.on('error', () => undefined)
  worker.once('exit', (code, signal) => {
    isServing = false
    // The worker's last messages may still be in the channel.
    if (worker.isConnected()) worker.once('disconnect', () => end({ code, signal }))
    else end({ code, signal })
  })

  function end({ code, signal }: WorkerEnd): void {
    const how = signal === null ? `exit code ${code}` : signal
    listening.reject(new WorkerRefused(`a worker ended with ${how} before it listened`))
    loaded.resolve()
    for (const answer of questions.values()) answer(lastMetrics)
    for (const taken of publications.values()) taken()
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
    async publish(published) {
      if (!worker.isConnected()) return
      const { generation } = published
      const taken = Promise.withResolvers<void>()
      const timer = setTimeout(
        () => taken.reject(new Error(`worker ${worker.process.pid} has not taken it yet`)),
        publishMs,
      )
      publications.set(generation, taken.resolve)
      tell({ kind: 'publish', published })
      await taken.promise.finally(() => {
        clearTimeout(timer)
        publications.delete(generation)
      })
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
