import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { ConfigurationSummary } from '../../src/catalogue/configuration-summary.ts'
import { noPlace } from '../../src/registry/processes/configurations.ts'
import { testDatabase } from '../support/database.ts'
import { testStores } from '../support/registry.ts'

const { database } = await testDatabase(t)
const stores = await testStores(database)

/** A configuration whose only plan has this limit. */
function withLimit(calls: number) {
  const summary: ConfigurationSummary = {
    versions: { 'xs2a@1.7.0': { document: 'a', lifecycle: {} } },
    plans: { default: { facts: { mode: 'enforce' }, limits: { default: `${calls} calls` } } },
    brand: 'b',
  }
  const digest = `${calls}`.repeat(64).slice(0, 64)
  return { digest, summary: () => summary, by: 'operator:test', detail: { how: 'command' } }
}

/** A process that reports its configurations to the history. */
function createProcess(t: Test) {
  const id = randomUUID()
  let place = noPlace
  async function report({ digest }: { digest: string }) {
    await stores.processes.report({
      id,
      roles: 'gateway',
      host: 'h',
      pid: 1,
      version: 'test',
      generation: 1,
      digest,
      judged: 0,
      refused: undefined,
    })
  }
  t.teardown(() => stores.processes.remove(id))
  return {
    async serves(calls: number) {
      await report(withLimit(calls))
      place = await stores.configurations.served(withLimit(calls), place)
    },
    async reloads(calls: number) {
      await report(withLimit(calls))
      place = await stores.configurations.replaced(withLimit(calls), place)
    },
    stops: () => stores.processes.remove(id),
  }
}

/** Limits before and after, of every audited change, oldest first. */
async function changes(): Promise<string[]> {
  const entries = await stores.audit.list({ subject: 'configuration:all', limit: 100 })
  return entries.map(({ detail }) => detail['plan default'] ?? '').toReversed()
}

t.test(
  'one change that several processes make is one audit entry, in whichever order they report it',
  async (t) => {
    const fast = createProcess(t)
    const slow = createProcess(t)
    await Promise.all([fast.serves(1), slow.serves(1)])
    t.same(await changes(), [], 'the first configuration changes nothing')
    await Promise.all([fast.reloads(2), slow.reloads(2)])
    const first = 'limit default: 1 calls → 2 calls'
    t.same(await changes(), [first])
    await slow.reloads(3)
    await fast.reloads(3)
    t.same(await changes(), [first, 'limit default: 2 calls → 3 calls'])
  },
)

t.test(
  'switching a configuration back and forth is audited each time, and a slow process that follows adds nothing',
  async (t) => {
    const fast = createProcess(t)
    const slow = createProcess(t)
    await fast.serves(2)
    await slow.serves(2)
    const before = (await changes()).length
    await fast.reloads(3)
    await fast.reloads(2)
    await fast.reloads(3)
    const there = 'limit default: 2 calls → 3 calls'
    const back = 'limit default: 3 calls → 2 calls'
    t.same((await changes()).slice(before), [there, back, there])
    await slow.serves(2)
    await slow.reloads(3)
    t.same((await changes()).slice(before), [there, back, there], 'the slow process adds nothing')
  },
)

t.test('the entry names the actor, the command, and the digests before and after', async (t) => {
  const process = createProcess(t)
  await process.serves(3)
  await process.reloads(4)
  const [entry] = await stores.audit.list({ subject: 'configuration:all', limit: 1 })
  t.match(entry, {
    actor: 'operator:test',
    action: 'configuration.reload',
    detail: { how: 'command', from: '333333333333', to: '444444444444' },
  })
})

t.test(
  'a process that starts with an older configuration is a change only when no process serves the newest',
  async (t) => {
    const newest = createProcess(t)
    await newest.serves(3)
    await newest.reloads(4)
    const before = (await changes()).length
    const late = createProcess(t)
    await late.serves(3)
    // A repeated report changes nothing more.
    await late.serves(3)
    t.equal((await changes()).length, before, 'the host lags behind')
    await newest.stops()
    await late.serves(3)
    await late.serves(3)
    t.same((await changes()).slice(before), ['limit default: 4 calls → 3 calls'], 'a rollback')
    const other = createProcess(t)
    await other.serves(9)
    t.same((await changes()).slice(before + 1), ['limit default: 3 calls → 9 calls'], 'a new one')
  },
)
