import t from 'tap'
import { Roster } from '../../src/platform/roster.ts'

t.test('who was put on the roster twice is on it once, and leaves it at once', async (t) => {
  const roster = new Roster<{ readonly name: string; place: number }>()
  const [a, b] = [
    { name: 'a', place: -1 },
    { name: 'b', place: -1 },
  ]
  roster.add(a)
  roster.add(b)
  roster.add(a)
  t.equal(roster.size, 2)
  roster.delete(a)
  t.same(
    roster.all().map(({ name }) => name),
    ['b'],
  )
  roster.delete(a)
  roster.delete(b)
  t.equal(roster.size, 0)
})
