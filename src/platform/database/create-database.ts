// Creates the files of an embedded database in the folder that the first argument names. `prepareDatabaseFolder` runs it
// in its own process, because initdb in WebAssembly needs half a gigabyte: the end of a process frees all of that,
// the end of a thread does not.

import { PGlite } from '@electric-sql/pglite'
import { initDbStartParams, startParams } from './embedded-database-settings.ts'

// PGlite sets no modes.
process.umask(0o077)
const [, , dataDir = ''] = process.argv
const database = await PGlite.create({ dataDir, initDbStartParams, startParams })
await database.close()
