import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Test } from 'tap'
import type { SingleCallsTask, WorkerSetup } from './worker.ts'

/** A separate process that counts; see `worker.ts`. */
export interface CountingProcess {
  readonly child: ChildProcess
  /** One call on each of these buckets, again until the store has decided it; resolves with how many were admitted. */
  askEach(task: SingleCallsTask): Promise<number>
}

/** Starts one and resolves when its counter is made; rejects with the code of the error when it cannot be. */
export async function startProcess(t: Test, setup: WorkerSetup): Promise<CountingProcess> {
  const child = fork(new URL('worker.ts', import.meta.url), { execArgv: [] })
  t.teardown(() => child.kill('SIGKILL'))
  child.send(setup)
  const [answer] = await once(child, 'message')
  if (answer.error !== undefined) throw new Error(answer.error)
  return {
    child,
    async askEach(task) {
      child.send(task)
      const [{ admitted }] = await once(child, 'message')
      return admitted
    },
  }
}
