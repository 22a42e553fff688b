import { Worker } from 'node:worker_threads'

/** What zxcvbn says of a password. */
export interface PasswordEstimate {
  readonly guessesLog10: number
  /** What it found in the password, in order. */
  readonly pieces: readonly { readonly pattern: string; readonly length: number }[]
}

/**
 * Estimates how many guesses a password withstands, in a thread of its own: the
 * word lists take a third of a second and 30 MB to load, and a hostile password
 * takes its time. The thread starts with the first new password, so a process
 * without one, such as a gateway, has none.
 */
export function estimatePassword(password: string): Promise<PasswordEstimate> {
  const answer = Promise.withResolvers<PasswordEstimate>()
  waiting.push(answer)
  thread ??= startThread()
  thread.ref()
  thread.postMessage(password)
  return answer.promise
}

let thread: Worker | undefined
/** In the order of their questions, which is that of the answers. */
const waiting: PromiseWithResolvers<PasswordEstimate>[] = []

function startThread(): Worker {
  const started = new Worker(new URL('./password-estimate-thread.ts', import.meta.url))
  let failure: unknown
  started.on('message', (estimate: PasswordEstimate) => {
    waiting.shift()?.resolve(estimate)
    // A thread that has nothing to do must not keep the process alive.
    if (waiting.length === 0) started.unref()
  })
  started.on('error', (error) => {
    failure = error
  })
  started.on('exit', () => {
    thread = undefined
    const error = new Error('the estimate of a password failed', { cause: failure })
    for (const answer of waiting.splice(0)) answer.reject(error)
  })
  return started
}
