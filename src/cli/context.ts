import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Settings } from '../platform/settings/settings.ts'
import type { Stores } from '../portal/stores/stores.ts'
import type { CountersSession } from './counters-session.ts'
import type { Output } from './output.ts'

/**
 * What every command builds on. Everything is read or opened when it is needed,
 * so that `--help` is quick and works with invalid settings.
 */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The environment's settings, read once. @throws {SettingsError} */
  settings(): Settings
  /** What CONFIG_DIR publishes, loaded once. @throws {CatalogueError} */
  catalogue(): Promise<Catalogue>
  /** Runs `work` on the registry ({@link withRegistry}). @throws {CommandError} the registry cannot be reached */
  registry<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result>
  /** Runs `work` on the counters ({@link withCounters}). @throws {CountersUnreachable} no process with counters answers */
  counters<Result>(work: (counters: CountersSession) => Promise<Result>): Promise<Result>
  readonly output: Output
  readonly stdin: NodeJS.ReadableStream
  /** Whether a person reads the output and can answer a question. */
  readonly isTerminal: boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The actor, for the audit: `operator:<name of the system's user>`. */
  readonly actor: string
}
