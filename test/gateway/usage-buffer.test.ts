import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
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
    .take(100)
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
  const [row] = usage.take(1)
  count(usage, 'a', 7)
  t.equal(row?.admitted, 1)
  t.end()
})

t.test('counts are taken in portions, and none is counted in two of them', (t) => {
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

t.test('counts that nobody takes are bounded; what comes then is said to be lost', (t) => {
  const usage = createUsageBuffer({ capacity: 2 })
  const counted = [7, 8, 9, 10].map((minute) => count(usage, 'a', minute))
  t.same(counted, [true, true, true, false])
  t.same(taken(usage), ['a 7: 1', 'a 8: 1', 'a 9: 1'])
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

t.test('places made while the clock was ahead make room when it is set right', (t) => {
  const usage = createUsageBuffer({ capacity: 2 })
  const holder = { usage: undefined }
  const counted = ['a', 'b'].map((id) => count(usage, id, 1_000))
  usage.find('a', undefined, 1_000, holder)
  counted.push(count(usage, 'c', 7))
  t.same(counted, [true, true, true])
  t.equal(usage.find('a', undefined, 7, holder), usage.find('a', undefined, 7))
  t.end()
})

t.test('places that nobody takes from are bounded, also when there is no room for others', (t) => {
  const usage = createUsageBuffer({ capacity: 2 })
  let counted = 0
  for (let minute = 7; minute < 100; minute += 1) {
    for (const id of ['a', 'b', 'c']) if (count(usage, id, minute)) counted += 1
  }
  t.ok(usage.waiting <= 6, `${usage.waiting} wait`)
  const calls = usage.take(1_000).reduce((sum, { admitted }) => sum + admitted, 0)
  t.equal(calls, counted, 'what is not said to be lost is handed over')
  t.same(
    ['a', 'b', 'c'].map((id) => count(usage, id, 100)),
    [true, true, false],
    'then it goes on',
  )
  t.end()
})

t.test('what was taken is let go of, also when there are always more', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const usage = createUsageBuffer()
  function places(minute: number): WeakRef<object>[] {
    return Array.from({ length: 50 }, (_, application) => {
      const place = usage.find(`${application}`, undefined, minute)
      if (place === undefined) throw new Error('no room')
      return new WeakRef(place)
    })
  }
  const forgotten = places(7)
  usage.take(49)
  places(17)
  usage.take(50)
  t.equal(usage.waiting, 1)
  for (let round = 0; round < 5; round += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  t.equal(forgotten.filter((place) => place.deref() !== undefined).length, 0)
})

t.test('who holds its place finds the same one, also when all were forgotten', (t) => {
  const usage = createUsageBuffer()
  const holder = { usage: undefined }
  for (const minute of [7, 7, 17, 18]) {
    const place = usage.find('a', undefined, minute, holder)
    if (place !== undefined) place.admitted += 1
    t.equal(usage.find('a', undefined, minute), place)
  }
  t.same(taken(usage), ['a 17: 1', 'a 18: 1', 'a 7: 2'])
  t.end()
})

t.test('places are forgotten after ten minutes, with what waits in them handed over', (t) => {
  const usage = createUsageBuffer()
  count(usage, 'a', 7)
  count(usage, 'a', 17)
  t.same(taken(usage), ['a 17: 1', 'a 7: 1'])
  t.end()
})
