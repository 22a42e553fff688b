// This folder runs several processes behind one port, when GATEWAY_WORKERS is above 1; a reader of the
// single-process case can skip it. Read this file first: it forks the workers, starts them, hands them each
// configuration and replaces one that dies. `worker.ts` is the program of a worker, `run-worker.ts` what it opens,
// `messages.ts` what the two sides say. The parent keeps what exists once: configuration files, management, portal
// and cleanup. A worker has none of these, and the edge does not know that it runs in one.

import cluster from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Counter, Gauge, type Registry } from 'prom-client'
import { stopTimes } from '../platform/http/stop-times.ts'
import type { Logger } from '../platform/log/log.ts'
import type { LogChange } from '../platform/log/log-switch.ts'
import type { Probe } from '../platform/process/management.ts'
import { createMergedMetrics, type MergedMetrics } from './merged-metrics.ts'
import type { PublishedMessage, WorkerStart, WorkerTls } from './messages.ts'
import { forkWorker, type WorkerProcess } from './worker-process.ts'

/** The worker processes of this process. */
export interface Workers {
  /**
   * Starts all workers once all have loaded. Resolves to their origin when
   * every one listens. From then on a worker that ends is replaced.
   *
   * @throws {WorkerRefused} the reason of the first worker that failed
   */
  start(start: WorkerStart): Promise<string>
  /** Sends a configuration to all workers. Resolves when those that serve have taken it. @throws when one does not reply in time */
  publish(published: PublishedMessage): Promise<void>
  /** Sends changed certificates to all workers. */
  adoptTls(tls: Partial<WorkerTls>): void
  /** Gives changed secrets to running and future workers. */
  adoptSecrets(secrets: Readonly<Record<string, string>>): void
  /** Future workers start with this change of the log; running ones have it from the database. */
  noteLog(change: LogChange): void
  /** From now on every response asks its client to close the connection, and no worker is replaced. */
  prepareEnd(): void
  /** The merged metrics of the workers and this process. */
  readonly metrics: MergedMetrics
  /** Whether at least one takes calls, whether all do, and the state of their stores. */
  readonly probes: readonly Probe[]
  /** Lets the workers finish current calls and write pending records. Resolves when all have ended. */
  close(): Promise<void>
}

export interface WorkersOptions {
  /** At least 2. */
  readonly size: number
  /** In which a backend must have answered a call. */
  readonly exchangeMs: number
  readonly metricsRegistry: Registry
  readonly log: Pick<Logger, 'info' | 'error'>
}

/** After this time of serving, the end of a worker was not caused by its startup. */
const soundMs = 3_000
const pauseMsMin = 100
const pauseMsMax = 30_000

/**
 * Forks the workers, which load their code at once. This process accepts
 * connections and gives each to a worker in turn: Node's round robin, which a
 * worker cannot bypass (decision 0013).
 */
export function forkWorkers(options: WorkersOptions): Workers {
  const { size, exchangeMs, metricsRegistry, log } = options
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./worker.ts', import.meta.url)),
    args: [],
    // Keeps structure that a configuration shares; JSON would copy it at each reference.
    serialization: 'advanced',
  })
  const workers = new Set<WorkerProcess>()
  let starting: WorkerStart | undefined
  let isEnding = false
  const ending = new AbortController()

  const metrics = createMergedMetrics({
    registry: metricsRegistry,
    collect: () => Promise.all([...workers].map((worker) => worker.collect())),
    log,
  })
  const registers = [metricsRegistry]
  new Gauge({
    name: 'gateway_workers',
    help: 'Worker processes that serve calls; normally GATEWAY_WORKERS',
    registers,
    collect() {
      this.set(serving().length)
    },
  })
  const replaced = new Counter({
    name: 'gateway_workers_replaced_total',
    help: 'Worker processes that ended unexpectedly and were replaced',
    registers,
  })

  function fork(): WorkerProcess {
    const worker = forkWorker()
    workers.add(worker)
    void worker.ended.then(() => {
      workers.delete(worker)
      metrics.keep(worker.lastMetrics)
    })
    return worker
  }

  function serving(): readonly WorkerProcess[] {
    return [...workers].filter(({ isServing }) => isServing)
  }

  /** Keeps one worker running, from when the first worker in its place listens. */
  async function keepFilled(first: WorkerProcess, latest: () => WorkerStart): Promise<void> {
    let worker = first
    let servesSince = performance.now()
    let pauseMs = pauseMsMin
    while (!isEnding) {
      const end = await worker.ended
      if (isEnding) return
      if (performance.now() - servesSince > soundMs) pauseMs = pauseMsMin
      log.error({ worker: worker.pid, ...end, pauseMs }, 'a worker ended and will be replaced')
      await delay(pauseMs, undefined, { signal: ending.signal }).catch(ignoreAbort)
      if (isEnding) return
      pauseMs = Math.min(pauseMs * 2, pauseMsMax)
      worker = fork()
      servesSince = Number.POSITIVE_INFINITY
      try {
        await worker.start(latest)
        servesSince = performance.now()
        replaced.inc()
        log.info({ worker: worker.pid, replaces: end.code ?? end.signal }, 'a worker was replaced')
      } catch (error) {
        log.error({ worker: worker.pid, err: error }, 'a worker failed to start')
        worker.kill()
      }
    }
  }

  function tellAll(message: Parameters<WorkerProcess['tell']>[0]): void {
    for (const worker of workers) worker.tell(message)
  }

  const first = Array.from({ length: size }, fork)

  return {
    async start(start) {
      starting = start
      const latest = () => starting ?? start
      const origins = await Promise.all(first.map((worker) => worker.start(latest)))
      for (const worker of first) void keepFilled(worker, latest)
      const [origin] = origins
      if (origin === undefined) throw new Error('there is no worker')
      return origin
    },
    async publish(published) {
      if (starting === undefined) return
      // A replacement worker starts with this configuration too.
      starting = { ...starting, published }
      const serve = new Set(serving())
      for (const worker of workers) {
        if (!serve.has(worker)) worker.tell({ kind: 'publish', published })
      }
      await Promise.all([...serve].map((worker) => worker.publish(published)))
    },
    adoptTls(tls) {
      if (starting === undefined) return
      starting = { ...starting, tls: { ...starting.tls, ...tls } }
      tellAll({ kind: 'tls', tls })
    },
    adoptSecrets(secrets) {
      if (starting === undefined) return
      starting = { ...starting, secrets: { ...starting.secrets, ...secrets } }
      tellAll({ kind: 'secrets', secrets })
    },
    noteLog(log) {
      if (starting !== undefined) starting = { ...starting, log }
    },
    prepareEnd() {
      isEnding = true
      ending.abort()
      tellAll({ kind: 'ending' })
    },
    metrics,
    probes: [
      { name: 'gateway', isReady: () => serving().length > 0, isRequired: true },
      { name: 'workers', isReady: () => serving().length === size, isRequired: false },
      ...['counters', 'registry'].map((name) => ({
        name: `${name} of workers`,
        isReady: () => serving().every((worker) => isWell(worker, name)),
        isRequired: false,
      })),
    ],
    async close() {
      isEnding = true
      ending.abort()
      await Promise.all(
        [...workers].map((worker) => {
          // It never listened, so it has no calls.
          if (!worker.isServing) worker.kill()
          return worker.stop(stopTimes(exchangeMs).workerStopMs)
        }),
      )
    },
  }
}

function isWell({ states }: WorkerProcess, name: string): boolean {
  return states.every((state) => state.name !== name || state.isReady)
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error
}
