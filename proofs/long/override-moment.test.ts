import t from 'tap'
import { createClient } from '../../test/support/calling.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { newApplication, runTollgate } from '../../test/support/tollgate.ts'

t.test('an override with its moment seconds away ends at that moment', async (t) => {
  const tollgate = await runTollgate(t, { isEmbedded: true })
  const beside = await besidePortal(t, tollgate)
  const { send } = await beside.signIn({ isOperator: true })
  const { applicationId, key } = await newApplication(beside.stores, 'Caller')
  const gateway = createClient(t, tollgate.urls.gateway, 1)
  const limitOf = async () => {
    const before = Date.now()
    const { headers } = await gateway.call({ key })
    return { before, after: Date.now(), limit: Number(headers['x-ratelimit-limit']) }
  }
  let expiresAt = 0
  // The machine may need longer than an override lasts: then the next one lasts twice as long.
  for (let leadMs = 2_000, isKnown = false; !isKnown; leadMs *= 2) {
    expiresAt = Date.now() + leadMs
    const limit = { api: 'xs2a', version: '1.7.0', limit: 'default', calls: 90, reason: 'A test' }
    await send('POST', `/api/operator/applications/${applicationId}/overrides`, {
      ...limit,
      expiresAt: new Date(expiresAt).toISOString(),
    })
    while (!isKnown && Date.now() < expiresAt) isKnown = (await limitOf()).limit === 90
  }
  const seen = { before: new Set<number>(), after: new Set<number>() }
  while (seen.after.size === 0) {
    const { before, after, limit } = await limitOf()
    if (before >= expiresAt) seen.after.add(limit)
    else if (after < expiresAt) seen.before.add(limit)
  }
  t.same([...seen.before], [90])
  t.same([...seen.after], [1_000_000])
})
