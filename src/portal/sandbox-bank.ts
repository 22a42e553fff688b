import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { request as requestByTls, Agent as TlsAgent } from 'node:https'
import { json } from 'node:stream/consumers'
import { type UpstreamCredentials, upstreamOptions } from '../platform/http/tls.ts'
import type { Watched } from '../platform/settings/watched-files.ts'
import { PortalError } from './api/portal-error.ts'
import type { ApprovedConsents, ReadyConsent, Sandbox } from './api/schemas/sandbox.ts'

const deadlineMs = 5_000

/** Shorter, so that a bank that cannot be reached has certainly done nothing. */
const connectMs = 2_000

const connectionsMax = 4

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
  /** The last description, without waiting; undefined before the first one. */
  known(): Sandbox | undefined
  /** Makes a valid consent of an application to all accounts of one customer (default: Noa Levi). */
  makeConsent(applicationId: string, psuId?: string): Promise<ReadyConsent>
  /** Lists the consents that an application asked for and a customer approved, newest first, at most 10. */
  approvedConsents(applicationId: string): Promise<ApprovedConsents>
  close(): void
}

export interface SandboxBankOptions {
  /** Origin of the bank, as this process reaches it. */
  readonly bankUrl: () => string
  /**
   * The authorities that the portal trusts, and the certificate that it
   * presents; undefined: the public authorities, and none.
   */
  readonly tls?: Watched<UpstreamCredentials> | undefined
  /** The bank answers only requests with this secret. */
  readonly secret: () => string
}

/** Creates the way to the bank's internal routes, the same in one process and in several. */
export function createSandboxBank({ bankUrl, tls, secret }: SandboxBankOptions): SandboxBank {
  // A connection for each request: the bank would wait for a kept one when it stops.
  const plain = new Agent({ maxSockets: connectionsMax })
  // No sessions: they would outlive authorities that have changed since.
  const encrypted = new TlsAgent({ maxSockets: connectionsMax, maxCachedSessions: 0 })
  let described: Sandbox | undefined

  function open(method: 'GET' | 'POST', url: URL) {
    const options = { method, signal: AbortSignal.timeout(deadlineMs) }
    if (url.protocol === 'http:') return request(url, { ...options, agent: plain })
    const trusted = tls === undefined ? {} : upstreamOptions(tls.current())
    return requestByTls(url, { ...options, agent: encrypted, rejectUnauthorized: true, ...trusted })
  }

  /** The answer's shape is checked when the portal sends it on. */
  async function ask(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const url = new URL(path, bankUrl())
    const call = open(method, url)
    /** Whether the bank may have done what was asked. */
    let isUnsure = false
    call.on('socket', (socket) => {
      const connecting = setTimeout(() => call.destroy(new Error('no connection')), connectMs)
      socket.once(url.protocol === 'http:' ? 'connect' : 'secureConnect', () => {
        clearTimeout(connecting)
        isUnsure = true
      })
      socket.once('close', () => clearTimeout(connecting))
    })
    call.setHeader('authorization', `Bearer ${secret()}`)
    if (body !== undefined) call.setHeader('content-type', 'application/json')
    call.end(body && JSON.stringify(body))
    try {
      const answer: IncomingMessage = (await once(call, 'response'))[0]
      const { statusCode = 500 } = answer
      if (statusCode < 300) return await json(answer)
      isUnsure = false
      answer.resume()
      throw new Error(`the bank answered ${method} ${path} with ${statusCode}`)
    } catch (cause) {
      throw new BankUnavailable(isUnsure, cause)
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

    close() {
      plain.destroy()
      encrypted.destroy()
    },
  }
}
