import cluster from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Logger } from '../platform/log.ts'
import type { Probe } from '../platform/management.ts'
import { createMergedMetrics, type MergedMetrics } from './merged-metrics.ts'
import type { PublishedMessage, WorkerStart } from './messages.ts'
import { forkWorker, type WorkerProcess } from './worker-process.ts'

/** The processes on this machine that take calls behind one port. */
export interface Workers {
  /**
   * Lets them begin, once all of them are there. Resolves to the origin they
   * listen on when every one does; from then on one that ends is replaced.
   *
   * @throws {WorkerRefused} what the first of them said
   */
  start(start: WorkerStart): Promise<string>
  /** Brings a configuration into force in all of them. */
  publish(published: PublishedMessage): void
  /** Lets every answer tell its client to move, and replaces nobody any more. */
  prepareEnd(): void
  /** Theirs and those of this process. */
  readonly metrics: MergedMetrics
  /** Whether one takes calls, whether all do, and what they say of their stores. */
  readonly probes: readonly Probe[]
  /** Lets them finish what is under way and write what waits. Resolves when they are gone. */
  close(): Promise<void>
}

export interface WorkersOptions {
  /** At least 2. */
  readonly size: number
  readonly metricsRegistry: Registry
  readonly log: Pick<Logger, 'info' | 'error'>
}

/** What a worker that was told to stop may take: the longest call and a little. */
const stopMs = 28_000
/** One that served for so long did not end because of how it was started. */
const soundMs = 60_000
const pauseMsMin = 100
const pauseMsMax = 30_000

/**
 * Forks the workers, which load their code meanwhile. This process accepts
 * connections and hands each to one of them in turn; that is Node's round
 * robin, which no worker can escape (decision 0013).
 */
export function forkWorkers({ size, metricsRegistry, log }: WorkersOptions): Workers {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./worker.ts', import.meta.url)),
    args: [],
    // A configuration is shared structure; JSON would multiply it.
    serialization: 'advanced',
  })
  const workers = new Set<WorkerProcess>()
  let starting: WorkerStart | undefined
  let isEnding = false
  const ending = new AbortController()

  const metrics = createMergedMetrics({
    registry: metricsRegistry,
    collect: () => Promise.all([...workers].map((worker) => worker.collect())),
  })
  const registers = [metricsRegistry]
  new Gauge({
    name: 'gateway_workers',
    help: 'Worker processes that take calls; GATEWAY_WORKERS when all is well',
    registers,
    collect() {
      this.set(serving().length)
    },
  })
  const replaced = new Counter({
    name: 'gateway_workers_replaced_total',
    help: 'Worker processes that ended without being told to, and were replaced',
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

  /** Keeps one place filled from when its first worker listens. */
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
      servesSince = performance.now()
      try {
        await worker.start(latest)
        replaced.inc()
        log.info({ worker: worker.pid, replaces: end.code ?? end.signal }, 'a worker was replaced')
      } catch (error) {
        log.error({ worker: worker.pid, err: error }, 'a worker does not start')
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
    publish(published) {
      if (starting === undefined) return
      // Whoever replaces one of them begins with it, too.
      starting = { ...starting, published }
      tellAll({ kind: 'publish', published })
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
          // It never listened, so nothing is under way.
          if (!worker.isServing) worker.kill()
          return worker.stop(stopMs)
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
