import t from 'tap'
import { judgeWindows } from '../../src/cli/judge-window.ts'
import type { CountSample } from '../../src/platform/count-sample.ts'

const bucket = 'tollgate:{a}:xs2a:1.7.0:listAccounts:3600000'

function told(pid: number, runs: readonly number[], more: Partial<CountSample> = {}) {
  const sample = { bucket, window: 7, runs, local: 0, isReset: false, isCut: false }
  return {
    process: `p${pid}`,
    host: 'h',
    pid,
    parent: pid,
    workers: 1,
    share: 1,
    samples: [{ ...sample, ...more }],
  }
}

t.test('numbers that two processes gave, and numbers that none gave, are named', async (t) => {
  const processes = [told(1, [1, 4, 9, 9]), told(2, [4, 6])]
  t.strictSame(judgeWindows(processes, processes, []).verdicts, [
    {
      bucket,
      window: 7,
      count: 9,
      local: 0,
      twice: [{ from: 4, to: 4, by: ['h:1', 'h:2'] }],
      missing: [{ from: 7, to: 8 }],
    },
  ])
})

t.test('what is given between the two answers is no gap', async (t) => {
  const first = [told(1, [1, 1]), told(2, [3, 3])]
  const second = [told(1, [1, 2, 4, 5]), told(2, [3, 3, 6, 8])]
  t.match(judgeWindows(first, second, []).verdicts, [{ count: 3, twice: [], missing: [] }])
  t.match(judgeWindows(first, first, []).verdicts, [{ count: 3, missing: [{ from: 2, to: 2 }] }])
})

t.test(
  'what an ended process gave counts, a bucket that was reset is no proof, nor one that not all sample',
  async (t) => {
    const [one, two] = [told(1, [2, 3]), told(2, [1, 1])]
    t.match(judgeWindows([one], [one], [two]).verdicts, [{ count: 3, twice: [], missing: [] }])
    const reset = told(2, [1, 3], { isReset: true })
    t.strictSame(judgeWindows([one], [one, reset], []).verdicts, [])
    t.strictSame(judgeWindows([one], [one, { ...two, share: 0 }], []), { share: 0, verdicts: [] })
  },
)
