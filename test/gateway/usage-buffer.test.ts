import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import {
  createUsageBuffer,
  type UsageBuffer,
} from '../../src/gateway/operate/usage/usage-buffer.ts'
import { until } from '../support/until.ts'

function count(usage: UsageBuffer, applicationId: string, minute: number): boolean {
  const place = usage.find(applicationId, undefined, minute)
  if (place !== undefined) place.admitted += 1
  return place !== undefined
}

/** What is handed over, as `<application> <minute>: <admitted>`. */
function taken(usage: UsageBuffer): string[] {
  return usage
    .take(100)
    .map(({ applicationId, minute, admitted }) => `${applicationId} ${minute}: ${admitted}`)
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
  const [row] = usage.take(1)
  count(usage, 'a', 7)
  t.equal(row?.admitted, 1)
  t.end()
})

t.test('counts are taken in batches, and none is in two batches', (t) => {
  const usage = createUsageBuffer()
  for (const id of ['a', 'b', 'c']) count(usage, id, 7)
  count(usage, 'a', 8)
  t.equal(usage.waiting, 4)
  const rows = usage.take(2)
  t.equal(rows.length, 2)
  for (const id of ['a', 'b', 'c']) count(usage, id, 8)
  const rest = usage.take(100)
  t.equal(usage.waiting, 0)
  const calls = [...rows, ...rest].reduce((sum, { admitted }) => sum + admitted, 0)
  t.equal(calls, 7)
  t.end()
})

t.test('counts that are not flushed are bounded; further ones are reported as lost', (t) => {
  const usage = createUsageBuffer({ capacity: 2 })
  const counted = ['a', 'b', 'c', 'a'].map((id) => count(usage, id, 7))
  t.same(counted, [true, true, false, true])
  t.notOk(count(usage, 'a', 8), 'the next minute')
  t.same(taken(usage), ['a 7: 2', 'b 7: 1'])
  t.ok(count(usage, 'c', 8), 'then it goes on')
  t.end()
})

t.test('flushed counts are released, even while more keep arriving', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const usage = createUsageBuffer()
  function counts(minute: number): WeakRef<object>[] {
    return Array.from({ length: 50 }, (_, application) => {
      const row = usage.find(`${application}`, undefined, minute)
      if (row === undefined) throw new Error('no room')
      return new WeakRef(row)
    })
  }
  const first = counts(7)
  usage.take(49)
  counts(17)
  usage.take(50)
  t.equal(usage.waiting, 1)
  await until('none of the first is left', () => {
    collect()
    return first.every((row) => row.deref() === undefined)
  })
})
