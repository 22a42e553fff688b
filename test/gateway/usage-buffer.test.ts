import t from 'tap'
import {
  createUsageBuffer,
  type UsageBuffer,
} from '../../src/gateway/operate/usage/usage-buffer.ts'

function count(usage: UsageBuffer, applicationId: string, minute: number): boolean {
  const place = usage.find(applicationId, undefined, minute)
  if (place !== undefined) place.admitted += 1
  return place !== undefined
}

/** What is handed over, as `<application> <minute>: <admitted>`. */
function taken(usage: UsageBuffer): string[] {
  return usage
    .take()
    .map(({ application_id, minute, admitted }) => `${application_id} ${minute}: ${admitted}`)
    .toSorted()
}

t.test('every call is handed over once, in the minute in which it was counted', (t) => {
  const usage = createUsageBuffer()
  count(usage, 'a', 7)
  count(usage, 'a', 7)
  count(usage, 'b', 7)
  count(usage, 'a', 8)
  t.same(taken(usage), ['a 7: 2', 'a 8: 1', 'b 7: 1'])
  t.same(taken(usage), [], 'nothing twice')
  count(usage, 'a', 8)
  t.same(taken(usage), ['a 8: 1'], 'begun anew in the same minute')
  count(usage, 'a', 9)
  count(usage, 'a', 8)
  t.same(taken(usage), ['a 8: 1', 'a 9: 1'], 'the clock was set back')
  t.end()
})

t.test('what was handed over does not change any more', (t) => {
  const usage = createUsageBuffer()
  count(usage, 'a', 7)
  const [row] = usage.take()
  count(usage, 'a', 7)
  t.equal(row?.admitted, 1)
  t.end()
})

t.test('places are bounded; those of earlier minutes make room, and lose nothing', (t) => {
  const usage = createUsageBuffer({ capacity: 2 })
  t.same(
    ['a', 'b', 'c', 'a'].map((id) => count(usage, id, 7)),
    [true, true, false, true],
  )
  t.ok(count(usage, 'c', 8), 'the next minute')
  t.same(taken(usage), ['a 7: 2', 'b 7: 1', 'c 8: 1'])
  t.end()
})

t.test('places are forgotten after ten minutes, with what waits in them handed over', (t) => {
  const usage = createUsageBuffer()
  count(usage, 'a', 7)
  count(usage, 'a', 17)
  t.same(taken(usage), ['a 17: 1', 'a 7: 1'])
  t.end()
})
