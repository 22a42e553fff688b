import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import type { Test } from './database.ts'
import { createPortalClient, type PortalClient } from './portal.ts'

export const testClient = { id: 'tollgate-portal', secret: 'a secret of the portal at the bank' }

/** A person at the provider, by the login. */
export interface TestPerson {
  email: string
  isVerified: boolean
  name: string
  groups: readonly string[]
}

export interface TestProvider {
  readonly issuer: string
  readonly people: Map<string, TestPerson>
  /** Changes the claims of the next ID tokens, which are signed again; undefined: they stay as they are. */
  alter: ((claims: JWTPayload) => JWTPayload) | undefined
  /** Signs those with a key that the provider does not publish. */
  hasForeignKey: boolean
  /** Whether it answers everything with 503. */
  isAway: boolean
}

/**
 * A real OpenID Connect provider on loopback. Its form takes any login of
 * {@link TestProvider.people} with any password.
 */
export async function testProvider(t: Test, portalUrl: string): Promise<TestProvider> {
  const [own, foreign] = await Promise.all([
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('RS256'),
  ])
  const jwk = { ...(await exportJWK(own.privateKey)), kid: 'own', alg: 'RS256', use: 'sig' }
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const state: TestProvider = {
    issuer,
    people: new Map(),
    alter: undefined,
    hasForeignKey: false,
    isAway: false,
  }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: testClient.id,
        client_secret: testClient.secret,
        redirect_uris: [`${portalUrl}/oidc/callback`],
        post_logout_redirect_uris: [`${portalUrl}/`],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [jwk] },
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['a key of the test'] },
    features: { devInteractions: { enabled: true } },
    findAccount: (_ctx: unknown, id: string) => {
      const person = state.people.get(id)
      if (person === undefined) return undefined
      const { email, isVerified, name, groups } = person
      return {
        accountId: id,
        claims: () => ({ sub: id, email, email_verified: isVerified, name, groups }),
      }
    },
  })
  provider.use(async (ctx, next) => {
    await next()
    const token = ctx.oidc?.route === 'token' ? ctx.body?.id_token : undefined
    if (token === undefined || ctx.body === undefined || state.alter === undefined) return
    ctx.body.id_token = await new SignJWT(state.alter(decodeJwt(token)))
      .setProtectedHeader({ alg: 'RS256', kid: 'own' })
      .sign(state.hasForeignKey ? foreign.privateKey : own.privateKey)
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (state.isAway) response.writeHead(503).end()
    else answer(request, response)
  })
  return state
}

/** A browser at the provider. */
export function providerBrowser({ issuer }: TestProvider): PortalClient {
  return createPortalClient(issuer)
}

/**
 * Signs in at the provider as a person does.
 *
 * @param url where the portal sends the browser
 * @param login undefined: cancels
 * @returns path and query of the portal to which the provider sends the browser back
 */
export async function passProvider(
  browser: PortalClient,
  url: string,
  login: string | undefined,
): Promise<string> {
  const { origin } = new URL(url)
  let path = url.slice(origin.length)
  for (let steps = 0; steps < 12; steps += 1) {
    let answer = await browser.get(path)
    const action = /action="([^"]+)"/.exec(answer.text)?.[1]
    const prompt = /name="prompt" value="(\w+)"/.exec(answer.text)?.[1]
    if (answer.status === 200 && action !== undefined && prompt !== undefined) {
      const { pathname } = new URL(action, origin)
      answer =
        login === undefined
          ? await browser.get(`${pathname}/abort`)
          : await browser.post(
              pathname,
              new URLSearchParams({ prompt, login, password: 'any' }).toString(),
              { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
            )
    }
    const next = answer.headers['location']
    if (next === undefined)
      throw new Error(`the provider answered ${answer.status}: ${answer.text}`)
    const target = new URL(next, origin)
    path = `${target.pathname}${target.search}`
    if (target.origin !== origin) return path
  }
  throw new Error('the provider redirects for ever')
}
