import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Opens things for the benchmark and undoes them, last first. */
export interface Workbench {
  /** Gone when the bench is closed. */
  readonly folder: string
  undo(action: () => Promise<void> | void): void
  close(): Promise<void>
}

function createWorkbench(): Workbench {
  const folder = mkdtempSync(join(tmpdir(), 'tg-bench-'))
  const actions: (() => Promise<void> | void)[] = []
  return {
    folder,
    undo: (action) => void actions.push(action),
    async close() {
      for (let action = actions.pop(); action !== undefined; action = actions.pop()) await action()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Does some work on a workbench, and undoes what that opened, even if the process is terminated. */
export async function onWorkbench(work: (bench: Workbench) => Promise<void>): Promise<void> {
  const bench = createWorkbench()
  const end = (): void => void bench.close().finally(() => process.exit(1))
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  try {
    await work(bench)
  } finally {
    await bench.close()
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
  }
}

/** Does some work on a separate workbench, which is closed with the other at the latest. */
export async function onPartOf(
  bench: Workbench,
  work: (part: Workbench) => Promise<void>,
): Promise<void> {
  const part = createWorkbench()
  bench.undo(() => part.close())
  try {
    await work(part)
  } finally {
    await part.close()
  }
}
