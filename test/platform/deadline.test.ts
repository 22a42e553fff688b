import { once } from 'node:events'
import t from 'tap'
import { startDeadline } from '../../src/platform/deadline.ts'

t.test(
  'a deadline that is over already is missed at once, without a warning of Node',
  async (t) => {
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    t.teardown(() => process.off('warning', note))
    await new Promise<void>((missed) => startDeadline(-0.005, missed))
    process.emitWarning('the last one')
    await once(process, 'warning')
    t.same(
      warnings.map(({ message }) => message),
      ['the last one'],
    )
  },
)
