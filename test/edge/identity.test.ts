import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { callerOf, startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'

/** An edge whose callers a test changes by key, and what the backend received about each call. */
async function start(t: Test, ahead = () => 0) {
  const callers = new Map([
    [testKey, callerOf('app-1')],
    ['other', callerOf('app-2')],
  ])
  const backend = await startRawBackend(t)
  const { url } = await startEdge(t, {
    backendUrl: backend.url,
    callers,
    now: () => Date.now() + ahead(),
    monotonic: () => performance.now() + ahead(),
  })
  async function tokenOf(key = testKey, path = '/v1.7.0/accounts'): Promise<string> {
    await (await fetch(url + path, { headers: { 'x-api-key': key } })).text()
    return backend.requests.at(-1)?.headers.get('gateway-identity')?.[0] ?? ''
  }
  return { callers, tokenOf }
}

t.test(
  'an identity limits redirect addresses to what is registered, for a strict application even to none',
  async (t) => {
    const { callers, tokenOf } = await start(t)
    const claimOf = async () => decodeJwt(await tokenOf())['redirects']
    t.equal(await claimOf(), undefined)
    const redirectOrigins = ['https://app.example']
    callers.set(testKey, callerOf('app-1', { redirectOrigins }))
    t.same(await claimOf(), redirectOrigins)
    callers.set(testKey, callerOf('app-1', { isStrict: true, redirectOrigins }))
    t.same(await claimOf(), redirectOrigins)
    callers.set(testKey, callerOf('app-1', { isStrict: true }))
    t.same(await claimOf(), [])
  },
)

t.test('the identity of a strict application says so, any other says nothing', async (t) => {
  const { callers, tokenOf } = await start(t)
  callers.set('strict', callerOf('app-3', { isStrict: true, seals: ['thumbprint'] }))
  const claims = decodeJwt(await tokenOf('strict'))
  t.match(claims, { sub: 'app-3', strict: true, seals: ['thumbprint'] })
  const others = Object.keys(decodeJwt(await tokenOf()))
  t.same(
    Object.keys(claims).filter((name) => !['strict', 'seals', 'redirects'].includes(name)),
    others,
  )
})

t.test('an identity is used again until something of its caller changes', async (t) => {
  const { callers, tokenOf } = await start(t)
  const first = await tokenOf()
  const [ofOther, elsewhere] = [await tokenOf('other'), await tokenOf(testKey, '/v1.6.0/accounts')]
  t.equal(await tokenOf(), first)

  callers.set(testKey, callerOf('app-1', { isStrict: true }))
  const second = await tokenOf()
  t.equal(decodeJwt(second)['strict'], true)
  t.equal(await tokenOf(), second)
  t.equal(decodeJwt(await tokenOf(testKey, '/v1.6.0/accounts'))['strict'], true)
  t.notOk('strict' in decodeJwt(elsewhere))

  callers.set(testKey, callerOf('app-1'))
  t.notOk('strict' in decodeJwt(await tokenOf()))
  t.equal(await tokenOf('other'), ofOther)
})

t.test('an identity names the application, and a renamed one by its new name', async (t) => {
  const { callers, tokenOf } = await start(t)
  callers.set(testKey, callerOf('app-1', { applicationName: 'Budget planner' }))
  t.equal(decodeJwt(await tokenOf())['name'], 'Budget planner')
  callers.set(testKey, callerOf('app-1', { applicationName: 'Planner 2' }))
  t.equal(decodeJwt(await tokenOf())['name'], 'Planner 2')
})

t.test('one identity serves all operations of a version', async (t) => {
  const { tokenOf } = await start(t)
  const token = await tokenOf()
  t.equal(await tokenOf(testKey, '/v1.7.0/card-accounts'), token)
  const other = await tokenOf(testKey, '/v1.6.0/accounts')
  t.match(decodeJwt(other), { api: 'xs2a', version: '1.6.0' })
  t.match(decodeJwt(token), { api: 'xs2a', version: '1.7.0' })
  t.notOk('operation' in decodeJwt(token), 'method and path say it')
})

t.test('an identity is renewed between two calls, so that none waits for it', async (t) => {
  let ahead = 0
  const { tokenOf } = await start(t, () => ahead)
  const first = await tokenOf()
  ahead = 29_000
  t.equal(await tokenOf(), first)
  ahead = 31_000
  t.equal(await tokenOf(), first, 'the call that finds it old takes it')
  ahead = 44_000
  const second = await tokenOf()
  t.not(second, first, 'the next one has the new one, long before the old one is too old')
  ahead = 200_000
  t.not(await tokenOf(), second, 'after a pause, the call waits for its own')
})
