import type { BenchOptions } from '../options.ts'
import type { BenchWorld } from '../world.ts'

/** A part of the benchmark: measures some subjects and prints what it found. What it starts ends with it. */
export type Section = (world: BenchWorld, options: BenchOptions) => Promise<void>
