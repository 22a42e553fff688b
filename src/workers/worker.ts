// Entry point of a worker process: waits for its start message, takes calls, and ends on request or together with its
// parent process.
import cluster from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import { exchangeMs, stopTimes } from '../platform/http/stop-times.ts'
import { errorText } from '../platform/log/error-text.ts'
import { createLog, type Logger } from '../platform/log/log.ts'
import type { FromWorker, ToWorker } from './messages.ts'
import { runWorker, type Worker } from './run-worker.ts'

let starting: Promise<Worker> | undefined
let isTold = false
let log: Logger = createLog('info', { sharesOutput: true })

// Terminals and service managers signal the whole process group. The parent process handles the signal and asks its
// workers to stop.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
// Node ends a worker whose parent is gone, without a message, so the worker logs the reason first.
process.prependListener('disconnect', () => {
  if (!isTold) log.fatal({}, 'the process that started this worker is gone')
})

/** Shorter than what the parent process waits. */
let closeMs = stopTimes(exchangeMs).longestCallMs

const grace = closeWithGrace(
  // It would have to know the time before the settings have arrived.
  { delay: false, logger: false, skip: ['SIGHUP', 'SIGINT', 'SIGTERM'] },
  async ({ err }) => {
    setTimeout(() => process.exit(1), closeMs).unref()
    if (err !== undefined) log.fatal({ err }, 'a worker ends because of an error')
    const worker = await starting?.catch(() => undefined)
    if (worker === undefined) return
    await worker.close()
    await say({ kind: 'metrics', id: undefined, metrics: await worker.metrics() })
  },
)

// Parse boundary: only this program's worker-process.ts writes to the channel.
process.on('message', (message: ToWorker) => void hear(message))
await say({ kind: 'loaded' })

async function hear(message: ToWorker): Promise<void> {
  if (message.kind === 'stop') {
    isTold = true
    void grace.close()
  } else if (message.kind === 'start') {
    const { logLevel, logFormat, backendCallMs } = message.start.settings
    closeMs = stopTimes(backendCallMs).longestCallMs
    log = createLog(logLevel, { format: logFormat, sharesOutput: true })
    starting = runWorker({
      start: message.start,
      log,
      onStates: (states) => void say({ kind: 'states', states }),
    })
    try {
      const { origin } = await starting
      await say({ kind: 'listening', origin })
    } catch (error) {
      await say({ kind: 'refused', reason: errorText(error) })
    }
  } else {
    // Keep messages that arrive during startup.
    const worker = await starting?.catch(() => undefined)
    if (worker !== undefined) await obey(worker, message)
  }
}

async function obey(
  worker: Worker,
  message: Exclude<ToWorker, { readonly kind: 'start' | 'stop' }>,
): Promise<void> {
  switch (message.kind) {
    case 'publish':
      worker.publish(message.published)
      return say({ kind: 'published', generation: message.published.generation })
    case 'tls':
      return worker.adoptTls(message.tls)
    case 'secrets':
      return worker.adoptSecrets(message.secrets)
    case 'metrics':
      return say({ kind: 'metrics', id: message.id, metrics: await worker.metrics() })
    case 'ending':
      return worker.prepareEnd()
  }
}

/** Resolves once the message is sent. */
function say(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !cluster.worker?.isConnected()) resolve()
    else process.send(message, undefined, undefined, () => resolve())
  })
}
