import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Core of the process that is measured. */
export const targetCore = 0
/** Core of everything else: load, backend, stores. */
export const otherCore = 1

/** The repository. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** Opens things for the benchmark and undoes them, last first. */
export interface Workbench {
  /** Gone when the bench is closed. */
  readonly folder: string
  undo(action: () => Promise<void> | void): void
  close(): Promise<void>
}

/**
 * Makes a workbench and moves this process to the other core, where what it
 * starts stays unless it is pinned elsewhere.
 *
 * @throws when the machine has one core only
 */
export function createWorkbench(): Workbench {
  if (availableParallelism() < 2) throw new Error('needs two cores: one for what is measured')
  execFileSync('taskset', ['-a', '-c', '-p', String(otherCore), String(process.pid)])
  const folder = mkdtempSync(join(tmpdir(), 'tg-bench-'))
  const actions: (() => Promise<void> | void)[] = []
  return {
    folder,
    undo: (action) => void actions.push(action),
    async close() {
      for (const action of actions.toReversed()) await action()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
