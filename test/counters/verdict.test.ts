import t from 'tap'
import { createVerdict } from '../../src/gateway/counters/redis/cluster/verdict.ts'
import type { UnconfirmedReply } from '../../src/gateway/counters/redis/counting-server.ts'

/** The verdicts that a waiting reply got, in order. */
function listener() {
  const told: string[] = []
  const waiting: UnconfirmedReply = {
    onKnown: (isComplete) => void told.push(`known ${isComplete}`),
    onMissed: () => void told.push('missed'),
  }
  return { told, waiting }
}

t.test('every reply hears the verdict once, whichever comes first', async (t) => {
  const verdict = createVerdict()
  const [early, late] = [listener(), listener()]
  verdict.wait(early.waiting)
  t.same(early.told, [])
  verdict.known(false)
  verdict.wait(late.waiting)
  t.same([early.told, late.told], [['known false'], ['known false']])
})

t.test('the calls of a reply do not wait for a look whose deadline has passed', async (t) => {
  const verdict = createVerdict()
  const [before, after] = [listener(), listener()]
  verdict.wait(before.waiting)
  verdict.missed()
  verdict.wait(after.waiting)
  t.same([before.told, after.told], [['missed'], ['missed']])
  verdict.known(true)
  t.same(
    [before.told, after.told],
    [
      ['missed', 'known true'],
      ['missed', 'known true'],
    ],
    'and what they confirm is still learnt',
  )
})
