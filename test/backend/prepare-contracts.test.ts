import { setImmediate as turn } from 'node:timers/promises'
import { fastify } from 'fastify'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { prepareContracts } from '../../src/backend/prepare-contracts.ts'
import { until } from '../support/until.ts'

/** An app that prepares three contracts of a hundred steps each; the second one fails at its first. */
function preparing(t: Test) {
  const app = fastify()
  t.teardown(() => app.close())
  const done = [0, 0, 0]
  const begun = Promise.withResolvers<void>()
  const logged: string[] = []
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line).err.message) })
  const contracts = done.map((_, index) => ({
    prepare() {
      if (index === 1) throw new Error('does not compile')
      begun.resolve()
      done[index] = (done[index] ?? 0) + 1
      return done[index] < 100
    },
  }))
  prepareContracts(app, { contracts, log })
  return { app, begun: begun.promise, done, logged, address: { host: '127.0.0.1', port: 0 } }
}

t.test('contracts are prepared once the bank listens, however one of them fails', async (t) => {
  const { app, done, logged, address } = preparing(t)
  await app.ready()
  await turn()
  t.strictSame(done, [0, 0, 0], 'nothing before it listens')
  await app.listen(address)
  await until('the last one is prepared', () => done[2] === 100)
  t.strictSame(done, [100, 0, 100])
  t.strictSame(logged, ['does not compile'])
})

t.test('a bank that closes prepares no further', async (t) => {
  const { app, begun, done, address } = preparing(t)
  await app.listen(address)
  await begun
  await app.close()
  const [first = 0] = done
  t.ok(first > 0 && first < 100, `${first}`)
  t.equal(done[2], 0)
})
