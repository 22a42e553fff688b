import { join } from 'node:path'
import t from 'tap'
import { commandName } from '../../src/platform/process/command-name.ts'

t.test('hints name npx only where it finds this program', async (t) => {
  const folder = t.testdir({ installed: { node_modules: { tollgate: {} } }, elsewhere: {} })
  t.equal(commandName(join(import.meta.dirname, '../..')), 'npx tollgate', 'its own folder')
  t.equal(commandName(join(folder, 'installed')), 'npx tollgate')
  t.equal(commandName(join(folder, 'elsewhere')), 'tollgate')
})
