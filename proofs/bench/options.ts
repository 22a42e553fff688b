import { parseArgs } from 'node:util'

/** What a run of the benchmark was asked for. */
export interface BenchOptions {
  /** Measured rounds; one more warms up. */
  readonly rounds: number
  /** Duration of each subject in each round. */
  readonly seconds: number
  readonly connections: number
  /** Names of the parts to run; empty: all. */
  readonly sections: readonly string[]
  /** Only subjects of the admitted call, or attacks, whose name contains one of these texts; empty: all. */
  readonly only: readonly string[]
  /**
   * Where every gateway leaves a CPU profile when it ends; undefined: nowhere. Profiling is part of what is then measured.
   */
  readonly profileFolder: string | undefined
}

/** Reads `--section admitted --rounds 10 --seconds 2 --connections 64 --only tollgate --profile folder`. */
export function readOptions(
  args: readonly string[],
  defaults: { readonly rounds: string; readonly seconds: string } = { rounds: '10', seconds: '2' },
): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: defaults.rounds },
      seconds: { type: 'string', default: defaults.seconds },
      connections: { type: 'string', default: '64' },
      section: { type: 'string', multiple: true, default: [] },
      profile: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
    },
  })
  return {
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    profileFolder: values.profile,
    sections: values.section,
    only: values.only.map((text) => text.toLowerCase()),
  }
}

/** Whether a subject or an attack was asked for. */
export function isAsked({ only }: BenchOptions, name: string): boolean {
  return only.length === 0 || only.some((text) => name.toLowerCase().includes(text))
}
