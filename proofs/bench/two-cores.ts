import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { missingRequirements } from './requirements.ts'
import { onWorkbench, type Workbench } from './workbench.ts'

/** Core of the process that is measured. */
export const targetCore = 0
/** Core of everything else: load, backend, stores. */
export const otherCore = 1

/**
 * Measures on a workbench from the other core: what this process starts stays
 * there unless it is pinned elsewhere. Says what is missing, and fails, where
 * nothing can be measured.
 */
export async function onTwoCores(work: (bench: Workbench) => Promise<void>): Promise<void> {
  const missing = missingRequirements()
  if (availableParallelism() < 2) missing.push('two cores are needed: one for what is measured')
  if (missing.length > 0) {
    process.stderr.write(`cannot measure:\n${missing.map((line) => `  ${line}\n`).join('')}`)
    process.exitCode = 1
    return
  }
  const everyThread = ['-a', '-c', '-p', String(otherCore), String(process.pid)]
  execFileSync('taskset', everyThread, { stdio: 'ignore' })
  await onWorkbench(work)
}
