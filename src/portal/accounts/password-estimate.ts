import { Worker } from 'node:worker_threads'
import { createFairQueue } from './fair-queue.ts'
import type { PasswordEstimate } from './password-estimate-thread.ts'

/**
 * Estimates how many guesses a password withstands, in its own thread: the
 * word lists take a third of a second and 30 MB to load, and a hostile password
 * takes its time. The thread starts with the first new password, so a process
 * without one, such as a gateway, has none.
 *
 * @param owner email address; owners take turns
 * @throws {QueueFull}
 */
export function estimatePassword(password: string, owner: string): Promise<PasswordEstimate> {
  return queue.run({ lanes: [owner], isPreferred: false }, () => ask(password))
}

const queue = createFairQueue({ workers: 1, waitingMax: 64 })

function ask(password: string): Promise<PasswordEstimate> {
  asked = Promise.withResolvers<PasswordEstimate>()
  thread ??= startThread()
  thread.ref()
  thread.postMessage(password)
  return asked.promise
}

let thread: Worker | undefined
/** The question that the thread works on, or the last one. */
let asked: PromiseWithResolvers<PasswordEstimate> | undefined

function startThread(): Worker {
  const started = new Worker(new URL('./password-estimate-thread.ts', import.meta.url))
  let failure: unknown
  started.on('message', (estimate: PasswordEstimate) => {
    // A thread that has nothing to do must not keep the process alive.
    started.unref()
    asked?.resolve(estimate)
  })
  started.on('error', (error) => {
    failure = error
  })
  started.on('exit', () => {
    thread = undefined
    asked?.reject(new Error('the estimate of a password failed', { cause: failure }))
  })
  return started
}
