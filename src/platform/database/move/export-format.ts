// This folder moves all rows of a database through a file. Read this file first, which has the format. `export-rows.ts`
// reads the rows, `export-file.ts` writes and reads the file, `import-rows.ts` writes the rows, and `tables.ts` finds
// the tables in the database. Rows move as they are. An export is a gzipped file of lines. A line of JSON in braces
// says what follows; a line in brackets is a row with the values as PostgreSQL writes them, or null. First a header,
// then each table with its number of rows and the SHA-256 over them, then the sequences, then the counts of limits,
// then the end.

import type { SchemaName } from '../schema-history.ts'

/** Format of the file. A release reads every format up to its own. */
export const exportFormat = 1

/** The first line. */
export interface ExportHeader {
  readonly tollgate: 'export'
  readonly format: number
  /** Release of Tollgate. */
  readonly release: string
  /** The instant that the file shows, ISO 8601. */
  readonly madeAt: string
  /** By owner, the names of the migrations that made the tables; empty without tables. */
  readonly migrations: Readonly<Record<SchemaName, readonly string[]>>
  /** Fingerprints of secrets that the rows need and that are not in the file. */
  readonly secrets: Readonly<Record<string, string>>
  /** The newest link of the audit's chain; null without any. */
  readonly audit: { readonly position: number; readonly hash: string } | null
}

/** Before the rows of a table. */
export interface TableLine {
  readonly table: string
  readonly columns: readonly string[]
}

/** After them. */
export interface TableEndLine {
  readonly end: string
  readonly rows: number
  /** Over the lines of the rows, their ends included; hexadecimal. */
  readonly sha256: string
}

/** The last value that a sequence gave. */
export interface SequenceLine {
  readonly sequence: string
  readonly column: string
  readonly value: number
}

/** Calls that a limit has counted in a window that may not be over. They are not in the database. */
export interface CountLine {
  readonly count: {
    readonly bucket: string
    readonly windowLength: string
    readonly window: number
    readonly epoch: number
    readonly count: number
  }
}

/** The last line. */
export interface ExportEndLine {
  readonly end: 'export'
  readonly tables: number
  readonly rows: number
  readonly counts: number
}

/** The file is not an export, is damaged, or is newer than this release; the message says what. */
export class ExportUnusable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ExportUnusable'
  }
}
