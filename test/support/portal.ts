import { request } from 'undici'
import { awaitMail } from './mails.ts'
import type { PortalAnswer } from './portal-client.ts'

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>
}

/** A browser without a page: it keeps the cookies it is given. */
export interface PortalClient {
  get(path: string, options?: RequestOptions): Promise<PortalAnswer>
  post(path: string, body?: unknown, options?: RequestOptions): Promise<PortalAnswer>
  put(path: string, body?: unknown, options?: RequestOptions): Promise<PortalAnswer>
  patch(path: string, body?: unknown, options?: RequestOptions): Promise<PortalAnswer>
  delete(path: string, body?: unknown, options?: RequestOptions): Promise<PortalAnswer>
  /** By name; tests put others' cookies in it. */
  readonly cookies: Map<string, string>
}

export interface PortalClientOptions {
  /** The client's address, for a portal that trusts 127.0.0.1 as a proxy: attempts are counted by it. */
  readonly from?: string
  /** The portal's own origin, where that is not its address. */
  readonly origin?: string
}

/** A client of the portal at this origin, with the headers a browser sends from its own page. */
export function createPortalClient(
  url: string,
  { from, origin = url }: PortalClientOptions = {},
): PortalClient {
  const cookies = new Map<string, string>()

  async function send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body: unknown,
    { headers = {} }: RequestOptions = {},
  ): Promise<PortalAnswer> {
    const answer = await request(`${url}${path}`, {
      method,
      headers: {
        origin,
        'sec-fetch-site': 'same-origin',
        ...(from === undefined ? {} : { 'x-forwarded-for': from }),
        ...(cookies.size === 0
          ? {}
          : { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    for (const cookie of [answer.headers['set-cookie'] ?? []].flat()) keep(cookie)
    const text = await answer.body.text()
    const isJson = String(answer.headers['content-type']).includes('json')
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
      ),
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
  }

  function keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split('; ')
    const [name = '', value = ''] = pair.split('=')
    const isEnded = attributes.some((attribute) => /^Max-Age=0$|1970/i.test(attribute))
    if (isEnded) cookies.delete(name)
    else cookies.set(name, value)
  }

  return {
    cookies,
    get: (path, options) => send('GET', path, undefined, options),
    post: (path, body, options) => send('POST', path, body, options),
    put: (path, body, options) => send('PUT', path, body, options),
    patch: (path, body, options) => send('PATCH', path, body, options),
    delete: (path, body, options) => send('DELETE', path, body, options),
  }
}

/** One of the cookies that an answer sets: its pair and its attributes. */
export function cookieNamed(name: string, { headers }: Pick<PortalAnswer, 'headers'>) {
  // Several are joined by commas; a comma within a date is followed by a blank.
  const cookies = (headers['set-cookie'] ?? '').split(/,(?=\S)/)
  const [pair = '', ...attributes] = (
    cookies.find((cookie) => cookie.startsWith(`${name}=`)) ?? ''
  ).split('; ')
  return { pair, attributes }
}

/** Strong enough for every rule. */
export const testPassword = 'quiet lamp under nine oaks'

/** Token of the newest mail of a kind to an address; waits for it. */
export async function mailedToken(dataDir: string, kind: string, to: string): Promise<string> {
  const { token } = await awaitMail(dataDir, { kind, to })
  if (token === undefined) throw new Error(`no token in the mail ${kind} to ${to}`)
  return token
}

/** Signs up as a person does, by the link of the mail, which signs in. @throws when a step is refused */
export async function signUpAndIn(
  tollgate: { readonly dataDir: string; readonly urls: { readonly portal: string } },
  options: PortalClientOptions & {
    readonly email: string
    readonly name?: string
    readonly password?: string
  },
): Promise<PortalClient> {
  const { email, name = 'Ada Lovelace', password = testPassword } = options
  const client = createPortalClient(tollgate.urls.portal, options)
  expect(await client.post('/api/developers', { email, name }), 202)
  const token = await mailedToken(tollgate.dataDir, 'sign-up', email)
  expect(await client.post('/api/developers/verify', { token, password }), 204)
  return client
}

function expect({ status, text }: PortalAnswer, expected: number): void {
  if (status !== expected) throw new Error(`answered ${status} instead of ${expected}: ${text}`)
}
