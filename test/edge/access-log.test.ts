import { pino } from 'pino'
import t from 'tap'
import { type AccessLog, isWritten, parseAccessLog } from '../../src/platform/http/access-log.ts'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { until } from '../support/until.ts'

t.test('ACCESS_LOG says which calls write a line, whatever LOG_LEVEL says', async (t) => {
  const backend = await startRawBackend(t)
  /** The status of each line after a call that passes and one that is refused. */
  async function linesOf(accessLog: AccessLog): Promise<number[]> {
    const lines: { msg: string; status: number }[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) })
    const edge = await startEdge(t, { backendUrl: backend.url, log, accessLog })
    const get = (key: string) =>
      fetch(`${edge.url}/v1.7.0/accounts`, { headers: { 'x-api-key': key } })
    await (await get(testKey)).arrayBuffer()
    await (await get('wrong')).arrayBuffer()
    // A line is written when the answer has left, a moment after it was read.
    await until('both calls are counted', async () =>
      /outcome="KEY_INVALID"\} 1/.test(await edge.metrics()),
    )
    return lines.filter(({ msg }) => msg === 'call').map(({ status }) => status)
  }
  t.same(await linesOf({ mode: 'all' }), [200, 401])
  t.same(await linesOf({ mode: 'errors' }), [401])
  t.same(await linesOf({ mode: 'sample', share: 0 }), [])
  t.same(await linesOf({ mode: 'sample', share: 1 }), [200, 401])
  t.same(await linesOf({ mode: 'off' }), [])
})

t.test('a sample has its share of the calls and each failure of a server', async (t) => {
  const half: AccessLog = { mode: 'sample', share: 0.5 }
  const written = Array.from({ length: 10_000 }, () => isWritten(half, 200)).filter(Boolean).length
  // Six standard deviations of a binomial distribution.
  t.ok(Math.abs(written - 5_000) < 300, `${written}`)
  t.equal(isWritten({ mode: 'sample', share: 0 }, 503), true)
  t.equal(isWritten({ mode: 'errors' }, 0), true, 'a call without an answer')
})

t.test(
  'ACCESS_LOG without a value follows LOG_LEVEL, and refuses what it does not know',
  async (t) => {
    t.same(readSettings({}).accessLog, { mode: 'all' })
    t.same(readSettings({ LOG_LEVEL: 'warn' }).accessLog, { mode: 'off' })
    t.same(readSettings({ LOG_LEVEL: 'silent' }).accessLog, { mode: 'off' })
    t.same(readSettings({ LOG_LEVEL: 'warn', ACCESS_LOG: 'all' }).accessLog, { mode: 'all' })
    t.same(parseAccessLog('sample:0.01'), { mode: 'sample', share: 0.01 })
    for (const value of ['sample', 'sample:2', 'sample:-1', 'sample:1e-3', 'none']) {
      t.throws(() => readSettings({ ACCESS_LOG: value }), {
        message: /ACCESS_LOG: ".+" is not all, errors, sample:<share> or off/,
      })
    }
  },
)
