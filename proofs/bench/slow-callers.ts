import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { SlowCallersOptions, SlowCallersState } from './slow-callers-thread.ts'

/** Callers that each keep a connection busy, and open it again when it is ended. */
export interface SlowCallers {
  state(): Promise<SlowCallersState>
  stop(): Promise<void>
}

/** Opens the callers, a hundred at a time, in their own thread: they must not delay the healthy callers in this one. */
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
