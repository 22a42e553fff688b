import type { Migration } from 'kysely/migration'

/**
 * One change of the tables. It **expands**: processes of older releases work on
 * before, during and after it. Or it **contracts** (`oldestRelease`): it takes
 * away what the release before no longer uses, so that only older ones do not
 * work. A test reads its statements and asks for one of the two fields where
 * they could disturb an older release.
 */
export interface SchemaMigration extends Migration {
  /** For a contracting migration: the oldest release whose processes work on the tables after it. */
  readonly oldestRelease?: string
  /** Why an older release works on, though the statements do not show it. */
  readonly expandsBecause?: string
}

/** By name, in which order they run (`0001-…`). Never renamed, never removed. */
export type SchemaMigrations = Readonly<Record<string, SchemaMigration>>
