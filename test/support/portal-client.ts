import { createHash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Test } from 'tap'
import { Pool } from 'undici'
import { readDataFolderSecret } from '../../src/platform/database/data-folder.ts'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { sessionCookie } from '../../src/portal/accounts/carry-sessions.ts'
import { derivePortalSecrets } from '../../src/portal/sealing/portal-secrets.ts'
import type { PortalSchema } from '../../src/portal/stores/schema.ts'
import type { Stores } from '../../src/portal/stores/stores.ts'
import type { Developer } from '../../src/registry/applications/developer.ts'
import { testDatabaseBeside } from './stand-in-database.ts'
import { type RunningTollgate, registryBeside } from './tollgate.ts'

/** An answer of the JSON API. */
export interface PortalAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Parsed, where there is a body; tests know what they asked for. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API answers
  readonly body: any
}

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<PortalAnswer>

/**
 * Makes this many requests at once. On a busy machine the embedded database, which
 * serves one statement at a time, lets some wait for too long: they are
 * answered 503, nothing happened, and they are sent again.
 */
export function atOnce(
  times: number,
  attempt: (at: number) => Promise<PortalAnswer>,
): Promise<PortalAnswer[]> {
  async function insist(at: number): Promise<PortalAnswer> {
    const answer = await attempt(at)
    return answer.status === 503 ? insist(at) : answer
  }
  return Promise.all(Array.from({ length: times }, (_, at) => insist(at)))
}

/** How many answers had each status. */
export function statuses(answers: readonly PortalAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** What tests of the portal need beside a running one. */
export interface BesidePortal {
  readonly stores: Stores
  /** The database, for what no request can do, for example making time pass. */
  readonly db: Kysely<PortalSchema>
  readonly anonymous: Send
  /** A developer who is signed in, without a password and its mills. */
  signIn(options?: SignInOptions): Promise<SignedIn>
}

export interface SignInOptions {
  readonly isOperator?: boolean
  /** (Default: made up) */
  readonly email?: string
  readonly name?: string
  /** Begins another session of this developer. (Default: a new developer) */
  readonly developer?: Developer
}

export interface SignedIn {
  readonly developer: Developer
  readonly send: Send
  /** For a browser. */
  readonly cookie: { readonly name: string; readonly value: string }
}

export interface BesidePortalOptions {
  readonly portalUrl: string
  /** PORTAL_PUBLIC_URL, if it is another. */
  readonly publicUrl?: string
  readonly stores: Stores
  readonly databaseUrl: string
  readonly sessionSecret: string
}

/** Beside a running Tollgate that has a data folder. */
export async function besidePortal(t: Test, tollgate: RunningTollgate): Promise<BesidePortal> {
  const { dataDir, urls } = tollgate
  const databaseUrl = await testDatabaseBeside(dataDir)
  const sessionSecret = await readDataFolderSecret(dataDir, 'session-secret')
  if (sessionSecret === undefined) throw new Error(`nothing runs on ${dataDir}`)
  const stores = await registryBeside(t, dataDir)
  return openBesidePortal(t, { portalUrl: urls.portal, stores, databaseUrl, sessionSecret })
}

/** Beside any portal process. */
export function openBesidePortal(t: Test, options: BesidePortalOptions): BesidePortal {
  const { portalUrl, publicUrl = portalUrl, stores, databaseUrl, sessionSecret } = options
  const log = createLog('silent')
  const database = openDatabase({
    url: databaseUrl,
    log,
    connectionsMax: 1,
  })
  t.teardown(() => database.close())
  const db = database.connect<PortalSchema>()
  const pool = new Pool(portalUrl, { connections: 64 })
  t.teardown(() => pool.destroy())
  const signer = derivePortalSecrets(() => sessionSecret).cookie
  const { name: cookieName } = sessionCookie(publicUrl)
  let developers = 0

  function sender(own: Readonly<Record<string, string>>): Send {
    return async (method, path, body, headers = {}) => {
      const answer = await pool.request({
        // undici knows the methods by name; tests use any.
        method: method as 'GET',
        path,
        headers: {
          origin: publicUrl,
          'sec-fetch-site': 'same-origin',
          ...own,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : {
              body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
            }),
      })
      const text = await answer.body.text()
      const isJson = String(answer.headers['content-type']).includes('json') && text !== ''
      return {
        status: answer.statusCode,
        headers: Object.fromEntries(
          Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
        ),
        text,
        body: isJson ? JSON.parse(text) : undefined,
      }
    }
  }

  return {
    stores,
    db,
    anonymous: sender({}),
    async signIn({ isOperator = false, email, name, developer: known } = {}) {
      developers += 1
      const developer =
        known ??
        (await stores.developers.create({
          email: email ?? `portal-${developers}-${randomBytes(4).toString('hex')}@example.com`,
          name: name ?? `Developer ${developers}`,
          isOperator,
          by: 'test',
        }))
      const id = randomBytes(32).toString('base64url')
      await db
        .insertInto('sessions')
        .values({
          id_hash: createHash('sha256').update(id).digest(),
          developer_id: developer.id,
          expires_at: new Date(Date.now() + 3_600_000),
          // A slow machine may need more than ten minutes for what the session is for.
          proved_at: new Date(Date.now() + 3_600_000),
          // Without a second factor an operator has no session.
          factor: isOperator ? 'totp' : null,
        })
        .execute()
      const value = encodeURIComponent(signer.sign(id))
      return {
        developer,
        send: sender({ cookie: `${cookieName}=${value}` }),
        cookie: { name: cookieName, value },
      }
    },
  }
}
