import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import { writeEmptyDatabase } from '../../release/empty-database.ts'
import { openDatabase } from '../../src/platform/database/database.ts'
import { startEmbeddedDatabase } from '../../src/platform/database/embedded-database.ts'
import { unpackDatabase } from '../../src/platform/database/empty-database.ts'
import { testFolder } from '../support/database.ts'

const log = pino({ level: 'silent' })

t.test(
  'the empty database of a release is the same bytes each time, and starts for its owner alone',
  async (t) => {
    const made = t.testdir()
    const [file, again] = [join(made, '1'), join(made, '2')]
    await Promise.all([writeEmptyDatabase(file), writeEmptyDatabase(again)])
    const packed = readFileSync(file)
    t.ok(packed.equals(readFileSync(again)))

    const dataDir = testFolder(t)
    const folder = join(dataDir, 'database')
    mkdirSync(folder, { mode: 0o700 })
    await unpackDatabase(packed, folder)
    const modes = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const { mode } = statSync(join(entry.parentPath, entry.name))
      return `${entry.isFile() ? 'file' : 'folder'} ${(mode & 0o777).toString(8)}`
    })
    t.same([...new Set(modes)].toSorted(), ['file 600', 'folder 700'])
    t.match(readFileSync(join(folder, 'postgresql.conf'), 'utf8'), /^shared_buffers = 16MB\s/m)

    const embedded = await startEmbeddedDatabase({ dataDir, log })
    const database = openDatabase({ url: embedded.url, log })
    const { rows } = await sql`select count(*)::int as tables
      from pg_tables where schemaname = 'public'`.execute(database.connect<unknown>())
    t.same(rows, [{ tables: 0 }])
    await database.close()
    await embedded.close()
  },
)
