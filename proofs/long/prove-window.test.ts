import t from 'tap'
import { burst, createClient } from '../../test/support/calling.ts'
import { tollgateProcess } from '../../test/support/cli.ts'
import { administer } from '../../test/support/database.ts'
import { type Fleet, fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { testRedis } from '../../test/support/redis-server.ts'
import { newApplication, spawnTollgate } from '../../test/support/tollgate.ts'

t.setTimeout(600_000)

const plan = { calls: 100, window: 'P365D' } as const

async function prove({ env }: Fleet) {
  const { code, stdout, stderr } = await tollgateProcess(env, 'prove', '--window', '--json')
  if (stdout === '') throw new Error(stderr)
  return { code, ...JSON.parse(stdout) }
}

t.test(
  'on a live system, each number from 1 to n was given once, by gateways that run and that ended',
  { skip: fleetMissing() },
  async (t) => {
    const fleet = await startFleet(t, { size: 3, plan })
    const { clients } = fleet
    const usedUp = await newApplication(fleet.stores, 'used up')
    await burst(clients, 150, usedUp)
    // The gateway that will be killed gave numbers that are followed by others.
    const little = await newApplication(fleet.stores, 'used a little')
    await burst(clients.slice(1, 2), 4, little)
    await burst([...clients.slice(0, 1), ...clients.slice(2)], 6, little)
    const proof = await prove(fleet)
    t.match(proof, { code: 0, windows: 2, calls: 110, twice: [], missing: [], silent: [] })
    t.equal(proof.processes.length, 3)

    fleet.gateways[0]?.signal('SIGTERM')
    await fleet.gateways[0]?.ended
    t.match(
      await prove(fleet),
      { code: 0, calls: 110, twice: [], missing: [] },
      'one shut down cleanly',
    )

    fleet.gateways[1]?.signal('SIGKILL')
    await fleet.gateways[1]?.ended
    const silent = await prove(fleet)
    t.match(silent, { code: 1, silent: [{ pid: Number }] }, 'one does not answer')
    const [{ pid = 0 } = {}] = silent.silent
    await administer(
      fleet.postgres.url,
      `update processes set seen_at = seen_at - interval '1 minute' where pid = ${Number(pid)}`,
    )
    const gap = await prove(fleet)
    t.match(gap, { code: 0, twice: [], silent: [] })
    const ofLittle = gap.missing.find(({ count }: { count: number }) => count === 10)
    t.match(ofLittle, { missing: [{ from: 1, to: 4 }] }, 'the gap that the killed one left')
  },
)

t.test(
  'a proof names two gateways that count in two primaries within a minute',
  { skip: fleetMissing() },
  async (t) => {
    const fleet = await startFleet(t, { size: 1, plan })
    const other = await testRedis(t)
    const apart = await spawnTollgate(t, ['gateway'], { ...fleet.env, REDIS_URL: other.url })
    const from = performance.now()
    const clients = [...fleet.clients, createClient(t, apart.urls.gateway)]
    const answers = await burst(clients, 40, await newApplication(fleet.stores, 'counted twice'))
    t.equal(answers.filter(({ status }) => status === 200).length, 40)
    const proof = await prove(fleet)
    t.match(proof, { code: 1, calls: 20, twice: [{ count: 20, twice: [{ from: 1, to: 20 }] }] })
    t.equal(proof.twice[0].twice[0].by.length, 2, 'by both')
    t.ok(performance.now() - from < 60_000)
    const { stdout, stderr } = await tollgateProcess(fleet.env, 'prove', '--window')
    t.match(stdout, /Given twice: .*two primaries of Redis/, stderr)
  },
)
