import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { actionInWords } from '../../src/portal-ui/pages/operator/audit-words.ts'

const done = /(ed|chosen|reset)( in| out| up)?( everywhere| after wrong passwords)?$/

const src = join(import.meta.dirname, '..', '..', 'src')

t.test('every action written out in the registry has words in the audit log', async (t) => {
  const registry = join(src, 'gateway', 'registry')
  const actions = new Set<string>()
  for (const file of globSync('*.ts', { cwd: registry })) {
    const text = readFileSync(join(registry, file), 'utf8')
    for (const [, action] of text.matchAll(/'((?:developer|operator|sign-up)\.[a-z-]+)'/g)) {
      if (action !== undefined) actions.add(action)
    }
  }
  t.ok(actions.size >= 8, [...actions].join(' '))
  const made = ['key.replace', 'override.end', 'session.begin', 'session.end', 'session.end-all']
  for (const action of [...actions, ...made]) {
    t.match(actionInWords(action), done, action)
  }
  t.equal(actionInWords('something.new'), 'something.new')
})
