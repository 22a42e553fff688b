import { randomUUID } from 'node:crypto'
import t from 'tap'
import { testBank } from '../support/bank.ts'
import type { IdentityFlaws } from '../support/identity.ts'

t.test('only a gateway that names this application ends what it has at the bank', async (t) => {
  const bank = await testBank(t)
  const applicationId = randomUUID()
  const right = { applicationId, api: 'tollgate', version: 'applications' }

  async function end(claims: Partial<typeof right> | undefined, flaws: IdentityFlaws = {}) {
    const token = claims && (await bank.identity.identityFor({ ...right, ...claims }, flaws))
    const { statusCode, headers, body } = await bank.backend.app.inject({
      method: 'DELETE',
      url: `/applications/${applicationId}`,
      headers: token === undefined ? {} : { 'gateway-identity': token },
    })
    return { status: statusCode, type: headers['content-type'], body: JSON.parse(body) }
  }

  t.same(await end({}), {
    status: 200,
    type: 'application/json',
    body: { consents: 0, payments: 0, mandates: 0 },
  })
  const refused = { status: 401, type: 'application/problem+json' }
  t.match(await end(undefined), { ...refused, body: { code: 'CERTIFICATE_MISSING' } })
  for (const claims of [
    { api: 'xs2a', version: '1.7.0' },
    { version: '1.7.0' },
    { applicationId: randomUUID() },
  ]) {
    t.match(await end(claims), refused, JSON.stringify(claims))
  }
  for (const flaws of [{ isForged: true }, { expiresIn: -10 }, { audience: 'another' }]) {
    t.match(await end({}, flaws), refused, JSON.stringify(flaws))
  }
})
