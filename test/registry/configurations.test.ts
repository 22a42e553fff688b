import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { ConfigurationSummary } from '../../src/catalogue/configuration-summary.ts'
import { noPlace } from '../../src/registry/processes/configurations.ts'
import { testDatabase } from '../support/database.ts'
import { testStores } from '../support/registry.ts'

const { database } = await testDatabase(t)
const stores = await testStores(database)

/** A configuration whose only plan has this limit. */
function withLimit(calls: number, extra: Partial<ConfigurationSummary> = {}) {
  const summary: ConfigurationSummary = {
    versions: { 'xs2a@1.7.0': { document: 'a', lifecycle: {} } },
    plans: { default: { facts: { mode: 'enforce' }, limits: { default: `${calls} calls` } } },
    brand: 'b',
    ...extra,
  }
  const digest = `${calls}`.repeat(64).slice(0, 64)
  return { digest, summary: () => summary, by: 'operator:test', detail: { how: 'command' } }
}

/** A process as the history sees it, with one configuration after the other. */
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
    async takes(calls: number) {
      await report(withLimit(calls))
      place = await stores.configurations.replaced(withLimit(calls), place)
    },
    ends: () => stores.processes.remove(id),
  }
}

/** Limits before and after, of every audited change, oldest first. */
async function changes(): Promise<string[]> {
  const entries = await stores.audit.list({ subject: 'configuration:all', limit: 100 })
  return entries.map(({ detail }) => detail['plan default'] ?? '').toReversed()
}

t.test(
  'one change in several processes is one audit entry, in whichever order they come to it',
  async (t) => {
    const fast = createProcess(t)
    const slow = createProcess(t)
    await Promise.all([fast.serves(1), slow.serves(1)])
    t.same(await changes(), [], 'the first configuration changes nothing')
    await Promise.all([fast.takes(2), slow.takes(2)])
    const first = ['limit default: 1 calls → 2 calls']
    t.same(await changes(), first)
    await fast.takes(3)
    await fast.takes(2)
    await fast.takes(3)
    const there = 'limit default: 2 calls → 3 calls'
    const back = 'limit default: 3 calls → 2 calls'
    t.same(await changes(), [...first, there, back, there], 'back and forth are changes')
    await slow.serves(2)
    await slow.takes(3)
    t.same(await changes(), [...first, there, back, there], 'for the slow one they are not')
    await fast.serves(3)
    await slow.serves(3)
    await slow.takes(4)
    await fast.takes(4)
    t.equal((await changes()).length, 5)
    const [entry] = await stores.audit.list({ subject: 'configuration:all', limit: 1 })
    t.match(entry, {
      actor: 'operator:test',
      action: 'configuration.reload',
      detail: { how: 'command', from: '333333333333', to: '444444444444' },
    })
  },
)

t.test('a start with files from before is a change once no process has the newest', async (t) => {
  const before = (await changes()).length
  const newest = createProcess(t)
  await newest.serves(4)
  const late = createProcess(t)
  await late.serves(3)
  await late.serves(3)
  t.equal((await changes()).length, before, 'a host that lags')
  await newest.ends()
  await late.serves(3)
  await late.serves(3)
  t.same((await changes()).slice(before), ['limit default: 4 calls → 3 calls'], 'a way back')
  const other = createProcess(t)
  await other.serves(9)
  t.same((await changes()).slice(before + 1), ['limit default: 3 calls → 9 calls'], 'a new one')
})
