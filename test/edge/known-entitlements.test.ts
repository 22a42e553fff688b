import t from 'tap'
import type { Entitlement } from '../../src/gateway/edge/entitlement.ts'
import {
  createKnownEntitlements,
  type EntitledCall,
} from '../../src/gateway/edge/known-entitlements.ts'
import { publishedCatalogue } from '../support/bank.ts'

t.test(
  'of many callers the entitlements used lately are kept, and no more than that',
  async (t) => {
    const catalogue = await publishedCatalogue()
    const [version] = catalogue.versions.values()
    const [first, second] = version?.operations ?? []
    if (first === undefined || second === undefined) throw new Error('no operations')
    const published = { catalogue } as EntitledCall['published']
    const callers = Array.from({ length: 30 }, () => ({}) as EntitledCall['caller'])
    const callsOf = (caller: EntitledCall['caller']): EntitledCall[] =>
      [first, second].map((operation) => ({ caller, operation, published }))
    const known = createKnownEntitlements({ capacity: 10 })
    const isKnown = (call: EntitledCall) => known.find(call, 0) !== undefined
    const [regular = {} as EntitledCall['caller'], ...others] = callers
    for (const caller of [regular, ...others]) {
      for (const call of callsOf(caller)) {
        known.keep(call, { sinceMs: 0, untilMs: 1 } as Entitlement)
      }
      t.ok(callsOf(regular).every(isKnown), 'who calls all the time stays')
    }
    const kept = others.map((caller) => callsOf(caller).filter(isKnown).length)
    const total = kept.reduce((sum, count) => sum + count, 0)
    t.ok(total >= 8 && total <= 20, `${total} others`)
    t.equal(kept.at(-1), 2, 'the last one is there')
    t.equal(kept.at(0), 0, 'the first one is not')
    t.notOk(
      known.find({ ...callsOf(regular)[0], published: { ...published } } as EntitledCall, 0),
      'what belongs to another configuration is not found',
    )
  },
)

t.test('entitlements that are only looked up count as those that are new', async (t) => {
  const catalogue = await publishedCatalogue()
  const [version] = catalogue.versions.values()
  const published = { catalogue } as EntitledCall['published']
  const known = createKnownEntitlements({ capacity: 10 })
  const group = () =>
    Array.from({ length: 5 }, () => ({}) as EntitledCall['caller']).flatMap((caller) =>
      (version?.operations.slice(0, 2) ?? []).map((operation) => ({
        caller,
        operation,
        published,
      })),
    )
  const keep = (call: EntitledCall) => known.keep(call, { sinceMs: 0, untilMs: 1 } as Entitlement)
  const isKnown = (call: EntitledCall) => known.find(call, 0) !== undefined
  const first = group()
  first.forEach(keep)
  t.ok(first.every(isKnown), 'a generation that was full, looked up once more')
  group().forEach(keep)
  // The one looked up last may have begun the next generation.
  t.ok(first.filter(isKnown).length <= 2, 'a full generation of others later they are gone')
})
