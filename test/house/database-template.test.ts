import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { currentTemplates, removeOldTemplates } from '../support/database-template.ts'

t.test('a template of the current sources stays, however old it is', (t) => {
  const variable = 'TMPDIR'
  const before = process.env[variable]
  const temporary = mkdtempSync(join(tmpdir(), 'tg-'))
  process.env[variable] = temporary
  t.teardown(() => {
    if (before === undefined) delete process.env[variable]
    else process.env[variable] = before
    rmSync(temporary, { recursive: true, force: true })
  })
  const ofDay = join(temporary, `${currentTemplates}2026-11-20-0`)
  const foreign = join(temporary, 'tollgate-database-0123456789ab-empty-0')
  const longAgo = Date.now() / 1000 - 3 * 86_400
  for (const folder of [ofDay, foreign]) {
    mkdirSync(folder)
    utimesSync(folder, longAgo, longAgo)
  }
  removeOldTemplates()
  t.equal(existsSync(ofDay), true, 'another process may be copying it')
  t.equal(existsSync(foreign), false, 'one of other sources goes')
  t.end()
})
