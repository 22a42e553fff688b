import t from 'tap'
import { createRecordBuffer } from '../../src/gateway/operate/calls/record-buffer.ts'

type Buffer = ReturnType<typeof createRecordBuffer>

function record(buffer: Buffer, at: number): void {
  buffer.add((record) => {
    record.at = at
  })
}

/** Times of what waits, oldest first. */
function taken(buffer: Buffer, rowsMax = 1_000) {
  return buffer.take(rowsMax).map(({ at }) => at)
}

t.test('the newest records wait, however many come', async (t) => {
  const buffer = createRecordBuffer(3)
  for (let at = 1; at <= 8; at += 1) record(buffer, at)
  t.equal(buffer.size, 3)
  t.same(taken(buffer), [6, 7, 8])
  t.equal(buffer.takeReplaced(), 5)
  t.same(taken(buffer), [], 'what was taken is not there any more')
  t.equal(buffer.takeReplaced(), 0, 'and is not counted again')
})

t.test('the oldest are taken first, and stay as they were while newer ones come', async (t) => {
  const buffer = createRecordBuffer(4)
  for (let at = 1; at <= 4; at += 1) record(buffer, at)
  const first = buffer.take(3)
  for (let at = 5; at <= 7; at += 1) record(buffer, at)
  t.same(
    first.map(({ at }) => at),
    [1, 2, 3],
  )
  t.same(taken(buffer, 2), [4, 5])
  t.same(taken(buffer, 2), [6, 7])
  t.equal(buffer.takeReplaced(), 0)
})

t.test('never holds more than its capacity, and counts everything it drops', async (t) => {
  const buffer = createRecordBuffer(100)
  for (let at = 1; at <= 20_000; at += 1) {
    record(buffer, at)
    if (buffer.size > 100) t.fail(`${buffer.size} wait`)
  }
  const times = taken(buffer)
  t.equal(times.length + buffer.takeReplaced(), 20_000)
  t.equal(times[0], 19_901)
})

t.test('a record that cannot be made is not among those that wait', async (t) => {
  const buffer = createRecordBuffer(3)
  for (let at = 1; at <= 2; at += 1) record(buffer, at)
  t.throws(() =>
    buffer.add(() => {
      throw new Error('broken')
    }),
  )
  t.same(taken(buffer), [1, 2])
})
