import t from 'tap'
import { windowAt, windowEnd } from '../../src/gateway/counters/window.ts'

t.test('windows are clock hours: one ends where the next begins', async (t) => {
  const eleven = Date.UTC(2026, 10, 20, 11)
  t.equal(windowAt(eleven - 1, 3600), 498_658)
  t.equal(windowAt(eleven, 3600), 498_659)
  t.equal(windowEnd(498_658, 3600), eleven)
  t.equal(windowEnd(498_659, 3600) - Date.UTC(2026, 10, 20, 11, 20), 2_400_000)
  t.equal(windowAt(999.999, 1), 0)
})
