import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Settings } from '../platform/settings.ts'
import type { Output } from './output.ts'

/** What every command stands on. Reading is lazy, so that `--help` works with wrong settings. */
export interface CommandContext {
  /** The environment's settings, read once. @throws {SettingsError} */
  settings(): Settings
  /** What CONFIG_DIR publishes, loaded once. @throws {CatalogueError} */
  catalogue(): Promise<Catalogue>
  readonly output: Output
  readonly stdin: NodeJS.ReadableStream
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Who acts, for the audit: `operator:<name of the system's user>`. */
  readonly actor: string
}
