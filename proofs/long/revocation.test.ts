import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { burst, codeOf } from '../../test/support/calling.ts'
import { tollgateProcess } from '../../test/support/cli.ts'
import { fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { newApplication } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'
import { keepCalling } from '../support/keep-calling.ts'

t.setTimeout(600_000)

const rounds = proofSize({ share: 2, whole: 5 })

t.test(
  'a key in use on four processes is refused everywhere within a second of its revocation',
  { skip: fleetMissing(), timeout: 300_000 },
  async (t) => {
    const fleet = await startFleet(t, { size: 4, env: { AUTH_FAILURES_PER_MINUTE: '100000' } })
    const figures: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const { key, keyId } = await newApplication(fleet.stores, `revoked ${round}`)
      const callers = fleet.clients.map((client) => keepCalling(client, key))
      await delay(500)
      const command = await tollgateProcess(fleet.env, 'key', 'revoke', keyId)
      const revokedAt = Date.now()
      t.equal(command.code, 0, command.stderr)
      const isLater = ({ begunAt }: { begunAt: number }) => begunAt >= revokedAt + 1000
      await until('every process answered a call begun a second after the revocation', () =>
        callers.every(({ answers }) => answers.some(isLater)),
      )
      await Promise.all(callers.map((caller) => caller.stop()))
      for (const { answers } of callers) {
        t.equal(answers[0]?.status, 200, 'the key was in use')
        const lastAdmitted = answers.findLast(({ status }) => status === 200)
        const after = answers.filter(isLater)
        t.ok(
          after.every((answer) => codeOf(answer) === 'KEY_INVALID'),
          'refused for good',
        )
        figures.push((lastAdmitted?.begunAt ?? 0) - revokedAt)
      }
    }
    const slowest = Math.max(...figures)
    t.ok(slowest < 1000, `${slowest} ms`)
    figure(
      `last admitted call of ${figures.length}: ${slowest} ms after the command ended (negative: before); fastest ${Math.min(...figures)} ms`,
    )
  },
)

t.test(
  'a rotated key works beside its successor until the overlap ends, on all processes',
  { skip: fleetMissing(), timeout: 300_000 },
  async (t) => {
    const fleet = await startFleet(t, { size: 2 })
    const { key, keyId } = await newApplication(fleet.stores, 'rotated')
    const statuses = async (used: string) =>
      (await burst(fleet.clients, 2, { key: used })).map(({ status }) => status)
    t.same(await statuses(key), [200, 200])
    const overlapSeconds = 4
    const from = Date.now()
    const rotated = await tollgateProcess(
      fleet.env,
      ...['key', 'rotate', keyId, '--overlap', String(overlapSeconds), '--json'],
    )
    t.equal(rotated.code, 0, rotated.stderr)
    const overlapEnd = Date.now() + overlapSeconds * 1000
    const successor: string = JSON.parse(rotated.stdout).key
    t.same(await statuses(successor), [200, 200], 'the new key works at once')
    while (Date.now() < from + overlapSeconds * 1000 - 300) {
      t.same(await statuses(key), [200, 200], 'the old one goes on')
      await delay(250)
    }
    await delay(overlapEnd - Date.now() + 100)
    t.same(await statuses(key), [401, 401], 'until the overlap ends')
    t.same(await statuses(successor), [200, 200])
  },
)
