import t from 'tap'
import { collectWhenIdle } from '../../src/platform/process/collect-when-idle.ts'
import { until } from '../support/until.ts'

t.test('garbage is collected once, when the process is idle', async (t) => {
  const kept: object[] = [{}]
  const garbage = new WeakRef(kept[0] ?? {})
  let looks = 0
  collectWhenIdle({
    everyMs: 10,
    busyShare() {
      looks += 1
      if (looks < 10) return 0.06
      kept.pop()
      return 0.04
    },
  })
  await until('the garbage is gone', () => garbage.deref() === undefined)
  t.equal(looks, 10, 'not while the process is busy, and not again')
})
