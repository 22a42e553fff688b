import t from 'tap'
import {
  createKnownEntitlements,
  type EntitledBy,
  type Entitlement,
} from '../../src/gateway/edge/entitlement.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'

async function operations() {
  const [version] = (await publishedCatalogue()).versions.values()
  const [first, second] = version?.operations ?? []
  if (first === undefined || second === undefined) throw new Error('no operations')
  return [first, second] as const
}

const entitlement = { sinceMs: 10, untilMs: 20 } as Entitlement

t.test('an entitlement is kept for its caller, operation, configuration and time', async (t) => {
  const [operation, another] = await operations()
  const call = { caller: {}, operation, published: {} } as EntitledBy
  const known = createKnownEntitlements()
  known.keep(call, entitlement)
  t.equal(known.find(call, 10), entitlement)
  t.equal(known.find(call, 9), undefined, 'a clock set back')
  t.equal(known.find(call, 20), undefined, 'an override that has ended')
  t.equal(known.find({ ...call, operation: another }, 10), undefined)
  t.equal(known.find({ ...call, caller: {} as EntitledBy['caller'] }, 10), undefined)
  const reloaded = { ...call, published: {} as EntitledBy['published'] }
  t.equal(known.find(reloaded, 10), undefined)
  known.keep(reloaded, entitlement)
  t.equal(known.find(call, 10), undefined, 'the old configuration is dropped')
})

t.test('above its capacity everything is dropped, and then kept again', async (t) => {
  const [operation] = await operations()
  const published = {} as EntitledBy['published']
  const calls = Array.from(
    { length: 11 },
    () => ({ caller: {}, operation, published }) as EntitledBy,
  )
  const known = createKnownEntitlements({ capacity: 10 })
  for (const call of calls) known.keep(call, entitlement)
  t.equal(calls.filter((call) => known.find(call, 10) !== undefined).length, 1)
  for (const call of calls.slice(0, 9)) known.keep(call, entitlement)
  t.equal(calls.filter((call) => known.find(call, 10) !== undefined).length, 10)
})
