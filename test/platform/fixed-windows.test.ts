import t from 'tap'
import { createFixedWindows, ownWindowsMax } from '../../src/platform/fixed-windows.ts'
import { unknownClient } from '../../src/platform/http/client-address.ts'

/** Windows of 1 s with an allowance of 2. */
function windows() {
  const time = { now: 0 }
  return { time, ...createFixedWindows({ allowance: 2, windowMs: 1_000, now: () => time.now }) }
}

t.test('a window begins with the first count of its name, and ends', async (t) => {
  const { count, time } = windows()
  time.now = 700
  t.same(count('a'), { name: 'a', excess: -1, endsInMs: 1_000 })
  time.now = 1_600
  t.same(count('a'), { name: 'a', excess: 0, endsInMs: 100 })
  t.same(count('a'), { name: 'a', excess: 1, endsInMs: 100 })
  time.now = 1_700
  t.same(count('a'), { name: 'a', excess: -1, endsInMs: 1_000 })
})

t.test('a count is reverted, and a name dropped, but never below zero', async (t) => {
  const { count, takeBack, clear } = windows()
  count('a')
  for (let times = 0; times < 3; times += 1) takeBack('a')
  t.equal(count('a').excess, -1)
  count('a')
  clear('a')
  t.equal(count('a').excess, -1)
  takeBack('b')
  t.equal(count('b').excess, -1)
})

t.test('names beyond the bound share a window, which none of them ends', async (t) => {
  const { count, clear, time } = windows()
  for (let each = 0; each < ownWindowsMax; each += 1) count(`${each}`)
  t.match(count('late'), { name: unknownClient, excess: -19 })
  const { name } = count('later')
  t.equal(name, unknownClient)
  clear(name)
  t.match(count('last'), { name: unknownClient, excess: -18 }, 'only its own count was taken back')
  t.match(count('0'), { name: '0', excess: 0 })
  time.now = 1_000
  t.match(count('late'), { name: 'late', excess: -1 }, 'the windows have ended')
})
