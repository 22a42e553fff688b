import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import {
  createUsageBuffer,
  type UsageBuffer,
} from '../../src/gateway/operate/usage/usage-buffer.ts'
import { until } from '../support/until.ts'

function count(usage: UsageBuffer, applicationId: string, minute: number): boolean {
  const place = usage.find({ applicationId, subject: undefined, minute })
  if (place !== undefined) place.admitted += 1
  return place !== undefined
}

/** What is handed over, as `<application> <minute>: <admitted>`. */
function taken(usage: UsageBuffer): string[] {
  return usage
    .take(100)
    .map(({ application_id: id, minute, admitted }) => `${id} ${minute}: ${admitted}`)
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
  t.same(taken(usage), ['a 9: 2'], 'the clock was set back')
  count(usage, 'a', 8)
  t.same(taken(usage), ['a 8: 1'], 'and stays there')
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

t.test('a place that a call kept counts for its application, whatever came in between', (t) => {
  const usage = createUsageBuffer({ capacity: 2 })
  const call = { applicationId: 'a', subject: undefined }
  const former = usage.find({ ...call, minute: 7 })
  count(usage, 'a', 7)
  taken(usage)
  // More than are kept.
  for (const id of ['b', 'c', 'd', 'e', 'f']) {
    count(usage, id, 7)
    taken(usage)
  }
  count(usage, 'a', 8)
  const place = usage.find({ ...call, minute: 8, former })
  if (place !== undefined) place.admitted += 1
  t.same(taken(usage), ['a 8: 2'], 'one row')
  t.end()
})

t.test('places are kept for later calls, but not more than fit', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const usage = createUsageBuffer({ capacity: 50 })
  function places(minute: number): WeakRef<object>[] {
    return Array.from({ length: 50 }, (_, application) => {
      const applicationId = `${application} of ${minute}`
      const place = usage.find({ applicationId, subject: undefined, minute })
      if (place === undefined) throw new Error('no room')
      return new WeakRef(place)
    })
  }
  const first = places(7)
  usage.take(50)
  for (const minute of [8, 9, 10]) {
    places(minute)
    usage.take(50)
  }
  await until('none of the first is left', () => {
    collect()
    return first.every((place) => place.deref() === undefined)
  })
})
