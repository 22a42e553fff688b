import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface SlowCallersOptions {
  /** Origin. */
  readonly url: string
  readonly callers: number
  /** What the callers send, one character per octet: the first caller the first, and so on, then from the beginning. */
  readonly requests: readonly string[]
  /** What they send again and again after that. (Default: nothing) */
  readonly again?: Repetition
  /** Milliseconds between the pieces of an answer that they take, each as much as Node reads at once. (Default: they take what comes.) */
  readonly readsEveryMs?: number
  /** (Default: each caller waits until it is disconnected, and comes back after a while.) */
  readonly inStep?: InStep
}

export interface Repetition {
  /** (Default: the request of the caller) */
  readonly octets?: string
  readonly everyMs: number
  /** Whether every second caller sends nothing more. (Default: false) */
  readonly isOfHalf?: boolean
}

/** All callers that were disconnected or left come back together. */
export interface InStep {
  readonly everyMs: number
  /** The answer at which a caller leaves: a refusal, or the first octet. */
  readonly leavesWhen: 'refused' | 'answered'
}

/** Callers that each keep a connection busy, and open it again when it is ended. */
export interface SlowCallers {
  state(): Promise<SlowCallersState>
  stop(): Promise<void>
}

/** What the thread of the callers says of itself. */
export interface SlowCallersState {
  /** Connections that are open now. */
  readonly open: number
  /** How often a caller was disconnected, or left at its answer. */
  readonly cuts: number
  /** What the callers have read so far. */
  readonly octets: number
  /** Reads that begin with the head of a refusal. */
  readonly refusals: number
}

/** Opens the callers, a hundred at a time, in a thread of their own: they must not delay the healthy callers in this one. */
export async function startSlowCallers(options: SlowCallersOptions): Promise<SlowCallers> {
  const thread = new Worker(new URL('./slow-callers-thread.ts', import.meta.url), {
    workerData: options,
  })
  // The first message says that all are opened.
  await once(thread, 'message')
  return {
    async state() {
      const answer = once(thread, 'message')
      thread.postMessage('state')
      return (await answer)[0]
    },
    stop: async () => void (await thread.terminate()),
  }
}
