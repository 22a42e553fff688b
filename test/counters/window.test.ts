import t from 'tap'
import { windowAt, windowOf } from '../../src/gateway/counters/window.ts'

t.test('windows are clock hours: one ends where the next begins', async (t) => {
  const eleven = Date.UTC(2026, 10, 20, 11)
  const next = { id: 498_659, endsAt: Date.UTC(2026, 10, 20, 12) }
  t.same(windowAt(eleven - 1, 3600), { id: 498_658, endsAt: eleven })
  t.same(windowAt(eleven, 3600), next)
  t.same(windowOf(498_659, 3600), next)
  t.equal(next.endsAt - Date.UTC(2026, 10, 20, 11, 20), 2_400_000)
  t.equal(windowAt(999.999, 1).id, 0)
})
