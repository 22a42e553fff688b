import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { servingOptions } from './serving-options.ts'
import { root } from './workbench.ts'

export interface StartTimeOptions {
  /** (Default: all.) */
  readonly roles?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly times: number
}

/**
 * Starts the program as `npm start` does, several times, on both cores; resolves to the milliseconds from
 * the start of the process to its ready line, each time.
 */
export async function startMs(options: StartTimeOptions): Promise<number[]> {
  const taken: number[] = []
  for (let time = 0; time < options.times; time += 1) taken.push(await startOnce(options))
  return taken
}

async function startOnce({ roles = [], env }: StartTimeOptions): Promise<number> {
  const beganAt = performance.now()
  const child = spawn(
    'taskset',
    [
      '-c',
      '0,1',
      'setpriv',
      '--pdeathsig',
      'KILL',
      process.execPath,
      ...servingOptions,
      join(root, 'bin', 'tollgate.js'),
      'start',
      ...roles,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } },
  )
  const ended = once(child, 'exit')
  const took = new Promise<number>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('tollgate ready ')) resolve(performance.now() - beganAt)
    })
  })
  const result = await Promise.race([took, ended])
  child.kill('SIGTERM')
  await ended
  if (typeof result !== 'number') throw new Error(`ended with ${result} before it was ready`)
  return result
}
