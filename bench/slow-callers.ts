import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface SlowCallersOptions {
  /** Origin. */
  readonly url: string
  /** What the callers send and then do not complete: the first caller the first, and so on, then from the beginning. */
  readonly requests: readonly string[]
  readonly callers: number
  /** Whether every second caller sends one octet of its body now and then; the others send nothing more. */
  readonly isTrickling: boolean
  /**
   * Whether callers that were disconnected or refused come back at once and
   * together. The others wait until they are disconnected, and come back one by
   * one after a while.
   */
  readonly isInStep: boolean
}

/** Callers that each keep a connection busy, and open it again when it is ended. */
export interface SlowCallers {
  /** Connections that are open now. */
  open(): Promise<number>
  /** How often a caller was disconnected or left because it was refused. */
  cuts(): Promise<number>
  stop(): Promise<void>
}

/** What the thread of the callers says of itself. */
export interface SlowCallersState {
  readonly open: number
  readonly cuts: number
}

/** Opens the callers, a hundred at a time, in a thread of their own: they must not delay the healthy callers in this one. */
export async function startSlowCallers(options: SlowCallersOptions): Promise<SlowCallers> {
  const thread = new Worker(new URL('./slow-callers-thread.ts', import.meta.url), {
    workerData: options,
  })
  async function state(): Promise<SlowCallersState> {
    const answer = once(thread, 'message')
    thread.postMessage('state')
    return (await answer)[0]
  }
  // The first message says that all are opened.
  await once(thread, 'message')
  return {
    open: async () => (await state()).open,
    cuts: async () => (await state()).cuts,
    stop: async () => void (await thread.terminate()),
  }
}
