import { pino } from 'pino'
import t from 'tap'
import { createLogSwitch } from '../../src/platform/log/log-switch.ts'

t.test(
  'a change of the log holds for its time; then, when it is taken back, or after what it cannot mean, the settings apply',
  async (t) => {
    const { mock } = await import('node:test')
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 10, 24) })
    t.teardown(() => mock.timers.reset())
    const log = pino({ level: 'info' }, { write: () => undefined })
    const settings = { logLevel: 'info', accessLog: { mode: 'all' } } as const
    const logSwitch = createLogSwitch({ log, settings, now: Date.now })
    t.teardown(() => logSwitch.close())
    const shown = () => [log.level, logSwitch.accessLog().mode]
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

    logSwitch.change({ level: 'debug', accessLog: 'errors', until: inMinutes(10) })
    t.same(shown(), ['debug', 'errors'])
    mock.timers.tick(5 * 60_000)
    logSwitch.change({ accessLog: 'off', until: inMinutes(10) })
    t.same(shown(), ['info', 'off'], 'it takes the place of the one before')
    mock.timers.tick(10 * 60_000 - 1)
    t.same(shown(), ['info', 'off'])
    mock.timers.tick(1)
    t.same(shown(), ['info', 'all'])

    logSwitch.change({ level: 'trace', until: inMinutes(10) })
    logSwitch.change({})
    t.same(shown(), ['info', 'all'], 'taken back')
    logSwitch.change({ level: 'trace', until: inMinutes(10), pid: '1' })
    t.same(shown(), ['info', 'all'], 'meant for another process')
    logSwitch.change({ level: 'loud', accessLog: 'some', until: inMinutes(10) })
    t.same(shown(), ['info', 'all'])
    logSwitch.change({ level: 'trace', until: inMinutes(-1) })
    t.same(shown(), ['info', 'all'], 'its time was over before it came')
  },
)
