import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import english from '../../src/messages/en.json' with { type: 'json' }
import { createWords } from '../../src/messages/format.ts'
import { securityEvents } from '../../src/platform/log/security-events.ts'
import { keptEvents } from '../../src/portal-ui/pages/operator/kept-events.ts'

const src = join(import.meta.dirname, '..', '..', 'src')

t.test('every action of registry and portal is a sentence of the audit log', async (t) => {
  const actions = new Set<string>()
  for (const file of globSync('{registry,portal/stores}/**/*.ts', { cwd: src })) {
    const text = readFileSync(join(src, file), 'utf8')
    for (const [, action] of text.matchAll(/'((?:developer|factor|operator|sign-up)\.[a-z-]+)'/g)) {
      if (action !== undefined) actions.add(action)
    }
  }
  t.ok(actions.size >= 8, [...actions].join(' '))
  const made = ['key.replace', 'override.end', 'session.begin', 'session.end', 'session.end-all']
  for (const action of [...actions, ...made]) {
    t.match(english, { [`audit.${action}`]: /\{(?:actor|subject)\}/ }, action)
  }
})

t.test('every security event of the table has words on the page, and no other', async (t) => {
  const kept = Object.entries(securityEvents).flatMap(([event, { isChange }]) =>
    isChange ? [] : [event],
  )
  t.same(keptEvents.toSorted(), kept.toSorted())
  for (const event of kept) {
    const words = { [`securityEvent.${event}`]: String, [`eventSentence.${event}`]: String }
    t.match(english, words, event)
  }
})

t.test('a refused key or certificate names its reason and its network in one line', async (t) => {
  const { t: say } = createWords('en', english)
  const named = { hasKey: 'no', key: '', hasSubject: 'no', subject: '' }
  const from = { ...named, hasAddress: 'yes', address: '127.0.0.0/24' }
  t.equal(
    say('eventSentence.key.refused', { ...from, reason: 'unknown' }),
    'Unknown API key from 127.0.0.0/24',
  )
  t.equal(
    say('eventSentence.key.refused', {
      ...from,
      hasKey: 'yes',
      key: 'tg_abc…',
      hasSubject: 'yes',
      subject: 'Budget planner',
      reason: 'address',
    }),
    'API key tg_abc… of Budget planner from 127.0.0.0/24, which the key does not allow',
  )
  for (const event of ['key.refused', 'certificate.refused'] as const) {
    const reasons: readonly string[] = securityEvents[event].reasons ?? []
    const sentences = ['none', ...reasons].map((reason) =>
      say(`eventSentence.${event}`, { ...from, reason }),
    )
    t.equal(new Set(sentences).size, reasons.length + 1, event)
  }
})
