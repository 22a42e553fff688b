import { createServer } from 'node:http'
import t from 'tap'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { PortalError } from '../../src/portal/api/portal-error.ts'
import { createOidcProvider } from '../../src/portal/oidc/provider.ts'
import { listenOnLoopback } from '../support/loopback.ts'

t.test('a provider whose document names another issuer is not used', async (t) => {
  let named = ''
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ issuer: named, authorization_endpoint: `${named}/authorise` }))
  })
  const issuer = `http://127.0.0.1:${await listenOnLoopback(server)}`
  t.teardown(() => server.close())
  const client = { OIDC_CLIENT_ID: 'tollgate-portal', OIDC_CLIENT_SECRET: 'a secret of the client' }
  const provider = createOidcProvider({
    settings: readSettings({ OIDC_ISSUER: issuer, ...client }),
    clientSecret: () => client.OIDC_CLIENT_SECRET,
    portalUrl: () => 'https://developer.bank.example',
    onFailure: () => undefined,
  })
  const codeOf = (): Promise<string | undefined> | undefined =>
    provider?.begin({ isAgain: false }).then(
      () => undefined,
      (error: unknown) => (error instanceof PortalError ? error.refusal.code : String(error)),
    )
  for (const other of ['https://evil.example', `${issuer}/realms/other`]) {
    named = other
    t.equal(await codeOf(), 'PROVIDER_UNAVAILABLE', other)
  }
  named = issuer
  t.equal(await codeOf(), undefined, 'its own')
})
