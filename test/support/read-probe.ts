import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './until.ts'

/** What V8 did in a gateway that loads `probe.ts`. */
export interface ProbeReading {
  /** Since its start. */
  readonly allocatedBytes: number
  /** How long each collection since the reading before stopped the main thread, in milliseconds. */
  readonly stopsMs: readonly number[]
}

/** Reads the probe of a process. */
export type Probe = () => Promise<ProbeReading>

/** The options of Node and the environment of a gateway with a probe, and how to read it. */
export function prepareProbe(folder: string) {
  const file = join(mkdtempSync(join(folder, 'probe-')), 'lines')
  writeFileSync(file, '')
  let lines = 0
  return {
    nodeOptions: ['--import', join(import.meta.dirname, 'probe.ts')],
    env: { PROBE_FILE: file },
    async read(pid: number): Promise<ProbeReading> {
      process.kill(pid, 'SIGWINCH')
      lines += 1
      const written = () => readFileSync(file, 'utf8').split('\n')
      await until('the probe has written', () => written().length > lines)
      // Parse boundary: a line of probe.ts.
      return JSON.parse(written()[lines - 1] ?? '')
    },
  }
}
