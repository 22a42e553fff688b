import { mkdirSync, readFileSync } from 'node:fs'
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

t.test('the empty database of a release is the same bytes each time, and starts', async (t) => {
  const folder = t.testdir()
  const [file, again] = [join(folder, '1'), join(folder, '2')]
  await Promise.all([writeEmptyDatabase(file), writeEmptyDatabase(again)])
  const packed = readFileSync(file)
  t.ok(packed.equals(readFileSync(again)))

  const dataDir = testFolder(t)
  mkdirSync(join(dataDir, 'database'), { mode: 0o700 })
  await unpackDatabase(packed, join(dataDir, 'database'))
  const embedded = await startEmbeddedDatabase({ dataDir, log })
  const database = openDatabase({ url: embedded.url, log })
  const { rows } =
    await sql`select current_setting('shared_buffers') as buffers, count(*)::int as tables
    from pg_tables where schemaname = 'public'`.execute(database.connect<unknown>())
  t.same(rows, [{ buffers: '16MB', tables: 0 }])
  await database.close()
  await embedded.close()
})
