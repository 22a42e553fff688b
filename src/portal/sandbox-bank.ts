import { Agent, buildConnector, request } from 'undici'
import { type UpstreamCredentials, upstreamOptions } from '../platform/http/tls.ts'
import { codeOf } from '../platform/log/error-code.ts'
import type { Watched } from '../platform/settings/watched-files.ts'
import { PortalError } from './api/portal-error.ts'
import type { ApprovedConsents, ReadyConsent, Sandbox } from './api/schemas/sandbox.ts'

const deadlineMs = 5_000

/** Shorter, so that a bank that cannot be reached is known to have done nothing. */
const connectMs = 2_000

/** The bank did not answer, or answered with an error: STORE_UNAVAILABLE. */
export class BankUnavailable extends PortalError {
  /** Whether the bank may have done what the portal asked for. */
  readonly isUnsure: boolean

  constructor(isUnsure: boolean, cause: unknown) {
    super(
      {
        code: 'STORE_UNAVAILABLE',
        detail: 'The sandbox bank is not available at the moment.',
        headers: { 'retry-after': '2' },
      },
      { cause },
    )
    this.name = 'BankUnavailable'
    this.isUnsure = isUnsure
  }
}

/** What the portal asks the bank about its sandbox. @throws {BankUnavailable} */
export interface SandboxBank {
  /** The customers, their secrets and the ways into every state. */
  describe(): Promise<Sandbox>
  /** The same without waiting: undefined until the bank has told it once. */
  known(): Sandbox | undefined
  /** Makes a valid consent of an application to all accounts of one customer (default: Noa Levi). */
  makeConsent(applicationId: string, psuId?: string): Promise<ReadyConsent>
  /** Lists the consents that an application asked for and a customer approved, newest first, at most 10. */
  approvedConsents(applicationId: string): Promise<ApprovedConsents>
  close(): Promise<void>
}

export interface SandboxBankOptions {
  /** Origin of the bank, as this process reaches it. */
  readonly bankUrl: () => string
  /** What the portal trusts and presents there; undefined: the public authorities, and nothing. */
  readonly tls?: Watched<UpstreamCredentials> | undefined
  /** The bank answers only a portal that knows it. */
  readonly secret: () => string
}

/** Creates the way to the bank's internal routes, the same in one process and in several. */
export function createSandboxBank({ bankUrl, tls, secret }: SandboxBankOptions): SandboxBank {
  const dispatcher = new Agent({
    connections: 4,
    // A connector for each connection: it would keep sessions of authorities that have changed since.
    connect: (options, done) =>
      buildConnector({
        timeout: connectMs,
        rejectUnauthorized: true,
        ...(tls === undefined ? {} : upstreamOptions(tls.current())),
      })(options, done),
  })
  let described: Sandbox | undefined

  /** The answer's shape is checked when the portal sends it on. */
  async function ask(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    let hasRefused = false
    try {
      const answer = await request(`${bankUrl()}${path}`, {
        dispatcher,
        method,
        headers: {
          authorization: `Bearer ${secret()}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // The bank would wait for a kept-alive connection when it stops.
        reset: true,
        signal: AbortSignal.timeout(deadlineMs),
      })
      if (answer.statusCode < 300) return await answer.body.json()
      hasRefused = true
      await answer.body.dump()
      throw new Error(`the bank answered ${method} ${path} with ${answer.statusCode}`)
    } catch (cause) {
      throw new BankUnavailable(!hasRefused && !isUnreachable(cause), cause)
    }
  }

  return {
    async describe() {
      // It changes only with the program.
      described ??= (await ask('GET', '/sandbox')) as Sandbox
      return described
    },

    known: () => described,

    async makeConsent(applicationId, psuId) {
      return (await ask('POST', '/sandbox/consents', { applicationId, psuId })) as ReadyConsent
    },

    async approvedConsents(applicationId) {
      return (await ask(
        'GET',
        `/sandbox/consents?applicationId=${applicationId}`,
      )) as ApprovedConsents
    },

    close: () => dispatcher.destroy(),
  }
}

/** Whether no connection was made, so that nothing was asked. */
function isUnreachable(error: unknown): boolean {
  return /^(ECONNREFUSED|EHOST|ENET|ENOTFOUND|EAI_|UND_ERR_CONNECT_TIMEOUT)/.test(
    String(codeOf(error)),
  )
}
