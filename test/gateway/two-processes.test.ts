import t from 'tap'
import { burst, codeOf, countdown, remainingOf } from '../support/calling.ts'
import { tollgateProcess } from '../support/cli.ts'
import { fleetMissing, startFleet } from '../support/fleet.ts'
import { newApplication } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

// The quick form of proofs/long/many-processes.test.ts and proofs/long/revocation.test.ts.

t.test(
  'two processes admit exactly 100 of 300 calls in a window, and neither knows a revoked key',
  { skip: fleetMissing() },
  async (t) => {
    const fleet = await startFleet(t, {
      size: 2,
      // No window ends during the test.
      plan: { calls: 100, window: 'P365D' },
      // Busy is not away.
      env: { REDIS_DEADLINE_MS: '10000' },
    })
    await Promise.all(fleet.clients.map((client) => client.warmUp(128)))
    for (const round of [1, 2]) {
      const { key } = await newApplication(fleet.stores, `round ${round}`)
      const from = fleet.ledger.entries.length
      const answers = await burst(fleet.clients, 300, { key })
      t.equal(fleet.ledger.entries.length - from, 100)
      t.same(remainingOf(answers), countdown(99), 'every value once')
      const refused = answers.filter(({ status }) => status !== 200)
      t.ok(refused.every((answer) => codeOf(answer) === 'QUOTA_EXCEEDED'))
    }

    const { key, keyId } = await newApplication(fleet.stores, 'revoked')
    const before = await burst(fleet.clients, 2, { key })
    t.ok(
      before.every(({ status }) => status === 200),
      'both processes know the key',
    )
    const revoked = await tollgateProcess(fleet.env, 'key', 'revoke', keyId)
    t.equal(revoked.code, 0, revoked.stderr)
    const isUnknown = async (): Promise<boolean> => {
      const after = await burst(fleet.clients, 2, { key })
      return after.every((answer) => codeOf(answer) === 'KEY_INVALID')
    }
    await until('neither knows it any more', isUnknown)
  },
)
