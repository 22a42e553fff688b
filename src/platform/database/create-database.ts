// Creates the files of an embedded database in the folder that the first argument names: those that a release brings
// along, else with initdb. `prepareDatabaseFolder` runs it in its own process, because initdb in WebAssembly needs half a
// gigabyte: the end of a process frees all of that, the end of a thread does not.

import { unpackShippedDatabase } from './empty-database.ts'

// PGlite sets no modes.
process.umask(0o077)
const [, , dataDir = ''] = process.argv
if (!(await unpackShippedDatabase(dataDir))) {
  const { PGlite } = await import('@electric-sql/pglite')
  const { initDbStartParams, startParams } = await import('./embedded-database-settings.ts')
  const database = await PGlite.create({ dataDir, initDbStartParams, startParams })
  await database.close()
}
