import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { burst, codeOf } from '../../test/support/calling.ts'
import { tollgateProcess } from '../../test/support/cli.ts'
import { administer } from '../../test/support/database.ts'
import {
  everyGatewayAnswers,
  everyGatewayHasHeard,
  type Fleet,
  fleetMissing,
  startFleet,
} from '../../test/support/fleet.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { newApplication, type TollgateProcess } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { figure } from '../figure.ts'
import { keepCalling } from '../support/keep-calling.ts'

t.setTimeout(600_000)

const plan = { AUTH_FAILURES_PER_MINUTE: '100000' }

/** Creates an application as soon as a server accepts it. @returns the key, and the milliseconds until then */
async function createWhenPossible({ stores }: Fleet, name: string) {
  const from = Date.now()
  let key = ''
  await until('an application can be created', async () => {
    key = await newApplication(stores, name).then(
      (created) => created.key,
      () => '',
    )
    return key !== ''
  })
  return { key, tookMs: Date.now() - from }
}

t.test(
  'when PostgreSQL fails over to a synchronous standby under load, no call with a known key fails and a revocation of the old primary holds within a second',
  { skip: fleetMissing() },
  async (t) => {
    const fleet = await startFleet(t, { size: 3, standby: 'synchronous', env: plan })
    const { key } = await newApplication(fleet.stores, 'in use')
    const revoked = await newApplication(fleet.stores, 'revoked')
    await everyGatewayAnswers(fleet, key, 200)
    await everyGatewayHasHeard(fleet)
    const callers = fleet.clients.map((client) => keepCalling(client, key))
    const refused = fleet.clients.map((client) => keepCalling(client, revoked.key))
    await until('every gateway was called with both keys', () =>
      [...callers, ...refused].every(({ answers }) => answers.length > 0),
    )
    const command = await tollgateProcess(fleet.env, 'key', 'revoke', revoked.keyId)
    t.equal(command.code, 0, command.stderr)
    await fleet.postgres.stop()
    await delay(1_000)
    await fleet.standby?.promote()
    const { key: created, tookMs } = await createWhenPossible(fleet, 'created after the failover')
    const takenOverAt = Date.now()
    // Until a gateway has found the new primary, it answers 503 to a key that it does not know.
    await everyGatewayAnswers(fleet, created, 200)
    await until('every gateway was called a second later', () =>
      refused.every(({ answers }) => (answers.at(-1)?.begunAt ?? 0) > takenOverAt + 1_500),
    )
    await Promise.all([...callers, ...refused].map((caller) => caller.stop()))
    const answers = callers.flatMap(({ answers }) => answers)
    t.same(
      answers.filter(({ status }) => status !== 200),
      [],
      `${answers.length} calls`,
    )
    const late = refused
      .flatMap(({ answers }) => answers)
      .filter(({ begunAt }) => begunAt > takenOverAt + 1_000)
    t.ok(late.length > 0)
    t.same(
      late.filter(({ status }) => status === 200),
      [],
      'what was acknowledged on the old primary holds',
    )
    t.same(new Set(late.map(codeOf)), new Set(['KEY_INVALID']))
    figure(
      `${answers.length} calls answered; an application was created ${tookMs} ms after the promotion`,
    )
  },
)

t.test(
  'a standby that lagged may lack a revocation: gateways that received it still refuse the key',
  { skip: fleetMissing() },
  async (t) => {
    const fleet = await startFleet(t, { size: 2, standby: 'asynchronous', env: plan })
    const { key, keyId } = await newApplication(fleet.stores, 'revoked')
    t.same(
      (await burst(fleet.clients, 2, { key })).map(({ status }) => status),
      [200, 200],
    )
    await until('the standby has everything', async () => {
      const { count } = await administer(
        fleet.standby?.url ?? '',
        'select count(*)::int as count from api_keys',
      )
      return count === 1
    })
    await fleet.standby?.stop()
    const command = await tollgateProcess(fleet.env, 'key', 'revoke', keyId)
    t.equal(command.code, 0, command.stderr)
    await delay(1_000)
    const statuses = async () =>
      (await burst(fleet.clients, 2, { key })).map(({ status }) => status)
    t.same(await statuses(), [401, 401])
    await fleet.postgres.stop()
    await fleet.standby?.follow(fleet.postgres)
    await fleet.standby?.promote()
    await createWhenPossible(fleet, 'created after the failover')
    const kept = await administer(
      fleet.standby?.url ?? '',
      `select revoked_at is null as "isLost" from api_keys where id = '${keyId}'`,
    )
    t.equal(kept['isLost'], true, 'the standby never had it')
    t.same(await statuses(), [401, 401])
  },
)

/** Uses up this many transaction numbers. @returns the next one */
async function spendNumbers(url: string, count: number): Promise<bigint> {
  await administer(
    url,
    `do $$ begin for i in 1..${count} loop perform pg_current_xact_id(); commit; end loop; end $$`,
  )
  const next = 'select pg_snapshot_xmax(pg_current_snapshot())::text as next'
  return BigInt(String((await administer(url, next))['next']))
}

t.test(
  'a key that is revoked on a standby which was behind when it was promoted is refused within two seconds of the first read there, although its number lies below those that gateways have read',
  { skip: fleetMissing() },
  async (t) => {
    const fleet = await startFleet(t, { size: 2, standby: 'asynchronous', env: plan })
    const { key, keyId } = await newApplication(fleet.stores, 'revoked on the new primary')
    await everyGatewayAnswers(fleet, key, 200)
    const standbyUrl = fleet.standby?.url ?? ''
    await until('the standby has everything', async () => {
      const count = 'select count(*)::int as count from api_keys'
      return (await administer(standbyUrl, count))['count'] === 1
    })
    await fleet.standby?.stop()
    const numbers = 1_000
    const reached = await spendNumbers(fleet.postgres.url, numbers)
    await everyGatewayHasHeard(fleet)
    // Now they know the key after its last change, and need no look-up.
    await everyGatewayAnswers(fleet, key, 200)
    const knownAt = Date.now()
    // No process reads while the new primary is behind those numbers: a reader would see that they went back.
    for (const gateway of fleet.gateways) gateway.signal('SIGSTOP')
    await fleet.postgres.stop()
    await fleet.standby?.follow(fleet.postgres)
    await fleet.standby?.promote()
    let revoked = await tollgateProcess(fleet.env, 'key', 'revoke', keyId)
    await until('the new primary takes the revocation', async () => {
      if (revoked.code !== 0) revoked = await tollgateProcess(fleet.env, 'key', 'revoke', keyId)
      return revoked.code === 0
    })
    const { xid } = await administer(
      standbyUrl,
      'select xid::text as xid from changes order by id desc limit 1',
    )
    t.ok(BigInt(String(xid)) < reached, `${xid} is below ${reached}`)
    t.ok((await spendNumbers(standbyUrl, 2 * numbers)) > reached, 'and the next ones are above')

    const from = Date.now()
    for (const gateway of fleet.gateways) gateway.signal('SIGCONT')
    // While a gateway cannot read, it looks up every key that is used.
    const firstReads = await Promise.all(fleet.gateways.map((gateway) => firstRead(gateway, from)))
    // After 30 s, they would look up the key by themselves.
    t.ok(Date.now() - knownAt < 29_000, 'early enough to tell')
    const callers = fleet.clients.map((client) => keepCalling(client, key))
    await until('every gateway refuses the key', () =>
      callers.every(({ answers }) => answers.at(-1)?.status === 401),
    )
    await Promise.all(callers.map((caller) => caller.stop()))
    const tookMs = callers.map(({ answers }, at) => {
      const last = answers.findLast(({ status }) => status === 200)
      return last === undefined ? 0 : last.begunAt - (firstReads[at] ?? from)
    })
    t.ok(Math.max(...tookMs) <= 2_000, `${tookMs.join(' and ')} ms`)
    figure(
      `a revoked key was admitted for ${tookMs.join(' and ')} ms after the first read, of ${reached - BigInt(String(xid))} numbers behind`,
    )
  },
)

/** Waits until a gateway has read the feed since a moment. @returns when it had */
async function firstRead({ urls }: TollgateProcess, from: number): Promise<number> {
  let readAt = 0
  await until('the gateway reads', async () => {
    const text = await metricsOf(urls.management)
    const [, age] = /^gateway_change_feed_age_seconds (\S+)$/m.exec(text) ?? []
    readAt = Date.now() - Number(age) * 1000
    return readAt > from
  })
  return readAt
}

t.test(
  'when primary and standby change places in order, every process works on with the new primary',
  { skip: fleetMissing() },
  async (t) => {
    const fleet = await startFleet(t, { size: 2, standby: 'asynchronous', env: plan })
    const { key } = await newApplication(fleet.stores, 'in use')
    await everyGatewayAnswers(fleet, key, 200)
    await everyGatewayHasHeard(fleet)
    const callers = fleet.clients.map((client) => keepCalling(client, key))
    await until('every gateway was called', () =>
      callers.every(({ answers }) => answers.length > 0),
    )
    await fleet.postgres.shutDown()
    await fleet.standby?.promote()
    if (fleet.standby) await fleet.postgres.follow(fleet.standby)
    const { key: created } = await createWhenPossible(fleet, 'created after the change')
    // Until a gateway has found the new primary, it answers 503 to a key that it does not know.
    await everyGatewayAnswers(fleet, created, 200)
    await Promise.all(callers.map((caller) => caller.stop()))
    const answers = callers.flatMap(({ answers }) => answers)
    t.same(
      answers.filter(({ status }) => status !== 200),
      [],
      `${answers.length} calls`,
    )
    const gateways =
      "select count(*)::int as count from pg_stat_activity where application_name like 'tollgate gateway %'"
    t.equal(
      (await administer(fleet.postgres.url, gateways))['count'],
      0,
      'none is left on the old one',
    )
  },
)
