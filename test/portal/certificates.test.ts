import t from 'tap'
import { createAuthority, qsealExtensions } from '../support/authority.ts'
import { besidePortal } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'

const tollgate = await runTollgate(t)
const beside = await besidePortal(t, tollgate)
const authority = createAuthority(t)
const { send } = await beside.signIn()

let applications = 0

async function newApplication(): Promise<string> {
  const { body } = await send('POST', '/api/applications', { name: `app ${++applications}` })
  return `/api/applications/${body.id}`
}

t.test('a developer adds, sees and removes certificates of an application', async (t) => {
  const application = await newApplication()
  const { pem, key, thumbprint } = authority.issue()
  const input = { use: 'tls', name: 'Winter', certificate: pem }
  const added = await send('POST', `${application}/certificates`, input)
  t.equal(added.status, 201, added.text)
  t.match(added.body, {
    use: 'tls',
    name: 'Winter',
    thumbprint,
    roles: ['PSP_AI'],
    authorisationNumber: 'PSDPL-PFSA-1234567890',
    state: 'active',
    validUntil: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.000Z$/,
    lastUsedAt: null,
  })
  const listed = await send('GET', `${application}/certificates`)
  t.same(listed.body, { items: [added.body] })
  t.same((await send('POST', `${application}/certificates`, input)).body.rule, 'certificate-twice')

  const withKey = { ...input, certificate: `${key}${pem}` }
  const refused = await send('POST', `${application}/certificates`, withKey)
  t.equal(refused.status, 400)
  t.notOk(refused.text.includes(key.slice(60, 90)), 'a private key is never repeated')

  const { status } = await send('DELETE', `${application}/certificates/${added.body.id}`)
  t.equal(status, 204)
  t.same((await send('GET', `${application}/certificates`)).body, { items: [] })
})

t.test('what cannot be used is refused at its member', async (t) => {
  const application = await newApplication()
  const seal = authority.issue({ extensions: qsealExtensions('AI') })
  for (const [input, path, rule] of [
    [{ use: 'tls', name: 'x', certificate: 'x' }, '/certificate', /one X\.509 certificate/],
    [{ use: 'tls', name: 'x', certificate: seal.pem }, '/certificate', /It is not a QWAC/],
    [{ use: 'both', name: 'x', certificate: seal.pem }, '/use', /./],
    [{ use: 'signing', name: '', certificate: seal.pem }, '/name', /1 to 100 characters/],
  ] as const) {
    const { status, body } = await send('POST', `${application}/certificates`, input)
    t.match({ status, errors: body.errors }, { status: 400, errors: [{ path, rule }] })
  }
})
