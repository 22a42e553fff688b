import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { securityEvents } from '../../src/platform/security-events.ts'
import { actionInWords } from '../../src/portal-ui/pages/operator/audit-words.ts'
import { eventWords } from '../../src/portal-ui/pages/operator/event-words.ts'

const done =
  /(ed|chosen|reset)( in| out| up)?( everywhere| after wrong passwords| of wrong codes)?$/

const src = join(import.meta.dirname, '..', '..', 'src')

t.test('every action written out in the registry has words in the audit log', async (t) => {
  const registry = join(src, 'gateway', 'registry')
  const actions = new Set<string>()
  for (const file of globSync('*.ts', { cwd: registry })) {
    const text = readFileSync(join(registry, file), 'utf8')
    for (const [, action] of text.matchAll(/'((?:developer|factor|operator|sign-up)\.[a-z-]+)'/g)) {
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

t.test('every security event of the table has words on the page, and no other', async (t) => {
  const kept = Object.entries(securityEvents).flatMap(([event, { isKept }]) =>
    isKept ? [event] : [],
  )
  t.same(Object.keys(eventWords).toSorted(), kept.toSorted())
})
