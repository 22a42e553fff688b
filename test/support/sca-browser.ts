import type { FastifyInstance } from 'fastify'

export interface ScaAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Fields of a form; a list for check boxes. */
export type ScaFields = Readonly<Record<string, string | readonly string[]>>

/** A browser without scripts that keeps cookies and fills in the forms of the bank's pages. */
export interface ScaBrowser {
  get(url: string): Promise<ScaAnswer>
  /** Sends the form of the page opened last, with its hidden field; `headers` replace those of a browser. */
  submit(
    url: string,
    fields: ScaFields,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ScaAnswer>
  /** Opens a link, signs in and follows to the page of the decision. */
  signIn(link: string, who: SignIn): Promise<ScaAnswer>
}

export interface SignIn {
  readonly psu: string
  readonly password: string
}

/** Noa Levi, as she signs in. */
export const noa: SignIn = { psu: '305567661', password: '12345' }
/** What approves on the page of the decision. */
export const approval = { code: '123456', decision: 'approve' }

/** Creates a browser of its own for the pages. @param preferred what it sends as Accept-Language (Default: nothing) */
export function scaBrowser(sca: FastifyInstance, preferred?: string): ScaBrowser {
  // By path and name.
  const cookies = new Map<string, { path: string; pair: string }>()
  let csrf = ''

  async function send(
    method: 'GET' | 'POST',
    url: string,
    payload?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ScaAnswer> {
    const response = await sca.inject({
      method,
      url,
      headers: {
        cookie: [...cookies.values()]
          .filter(({ path }) => path === '/' || url === path || url.startsWith(`${path}/`))
          .map(({ pair }) => pair)
          .join('; '),
        ...(preferred === undefined ? {} : { 'accept-language': preferred }),
        ...(payload === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { payload }),
    })
    for (const line of [response.headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = line.split(';')
      const path = /; Path=([^;]+)/.exec(line)?.[1] ?? '/'
      cookies.set(`${path} ${pair.split('=')[0]}`, { path, pair })
    }
    csrf = /name="csrf" value="([^"]+)"/.exec(response.body)?.[1] ?? csrf
    const answered = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
    return {
      status: response.statusCode,
      headers: Object.fromEntries(answered),
      body: response.body,
    }
  }

  async function submit(url: string, fields: ScaFields, headers = {}): Promise<ScaAnswer> {
    const form = new URLSearchParams({ csrf })
    for (const [name, value] of Object.entries(fields)) {
      form.delete(name)
      for (const one of [value].flat()) form.append(name, one)
    }
    return send('POST', url, form.toString(), headers)
  }

  return {
    get: (url) => send('GET', url),
    submit,
    async signIn(link, who) {
      const { pathname } = new URL(link, 'http://sca.bank.test')
      await send('GET', pathname)
      const answer = await submit(pathname, { ...who })
      const { location } = answer.headers
      const isSignedIn = answer.status === 303 && location === `${pathname}/decision`
      return isSignedIn ? send('GET', location) : answer
    },
  }
}

/** Signs in and decides, as a person would; resolves to the last answer, which leads back to the TPP. */
export async function decideOnPage(
  sca: FastifyInstance,
  link: string,
  fields: ScaFields = {},
  who: SignIn = noa,
): Promise<ScaAnswer> {
  const browser = scaBrowser(sca)
  const page = await browser.signIn(link, who)
  if (page.status !== 200) return page
  const { pathname } = new URL(link, 'http://sca.bank.test')
  return browser.submit(`${pathname}/decision`, { ...approval, ...checkedIn(page.body), ...fields })
}

/** What a browser sends of the boxes that are checked. */
function checkedIn(page: string): ScaFields {
  const boxes = [...page.matchAll(/name="account" value="([^"]+)" checked/g)]
  return boxes.length === 0 ? {} : { account: boxes.map(([, id = '']) => id) }
}
