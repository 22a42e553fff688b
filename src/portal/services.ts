import type { FastifyRequest } from 'fastify'
import type { ApiVersion, Catalogue } from '../catalogue/catalogue.ts'
import type { Counter } from '../gateway/counters/counter.ts'
import type { WriteAccessLine } from '../platform/http/access-line.ts'
import type { ClientAddress } from '../platform/http/client-address.ts'
import type { ListenerTls } from '../platform/http/tls.ts'
import type { Circumstances, SecurityEvents } from '../platform/log/security-events.ts'
import type { AuditContext } from '../registry/audit/audit-context.ts'
import type { Attempts } from './accounts/attempts.ts'
import type { Passkeys } from './accounts/passkeys.ts'
import type { Passwords } from './accounts/passwords.ts'
import type { Totp } from './accounts/totp.ts'
import type { Webhooks } from './alerts/open-webhooks.ts'
import type { Mailbox } from './mail/mailbox.ts'
import type { Mails } from './mail/open-mails.ts'
import type { PortalMetrics } from './metrics/portal-metrics.ts'
import type { OidcProvider } from './oidc/provider.ts'
import type { PageFiles } from './pages/open-page.ts'
import type { SandboxBank } from './sandbox-bank.ts'
import type { PortalSecrets } from './sealing/portal-secrets.ts'
import type { Stores } from './stores/stores.ts'

/** Where the operator of the portal receives reports of vulnerabilities, as security.txt names it (RFC 9116). */
export interface SecurityContact {
  /** A URL: `mailto:`, `https:` or `tel:`. */
  readonly contact: string
  /** The page with the operator's policy, `https:`; undefined: the operator has not published any. */
  readonly policy: string | undefined
}

/** The services of the portal's routes; each route asks only for those it needs. */
export interface PortalServices {
  /** TLS of the listener; undefined: plain HTTP. */
  readonly tls?: ListenerTls | undefined
  /** The current catalogue. */
  readonly catalogue: () => Catalogue
  /** The portal's own origin. */
  readonly portalUrl: () => string
  /** Origin of the gateway, as developers call it. */
  readonly gatewayUrl: () => string
  /** Origin of the gateway, as this process reaches it. */
  readonly probedGatewayUrl: () => string
  readonly stores: Stores
  readonly secrets: PortalSecrets
  readonly mails: Mails
  readonly webhooks: Pick<Webhooks, 'targets' | 'newSecret' | 'wake'>
  readonly page: PageFiles
  readonly passwords: Passwords
  readonly totp: Totp
  readonly passkeys: Passkeys
  readonly attempts: Attempts
  /** Signs developers in without a password; undefined: only passwords are accepted. */
  readonly oidc: OidcProvider | undefined
  readonly metrics: PortalMetrics
  /** Writes the log line of a finished request. */
  readonly writeAccessLine: WriteAccessLine
  readonly events: Pick<SecurityEvents, 'record'>
  /** The actor and the address of a request, for its security events. */
  readonly circumstances: (request: FastifyRequest) => Circumstances
  readonly clientAddress: ClientAddress
  /** What the audit keeps of a request. */
  readonly auditContext: (request: FastifyRequest) => AuditContext
  /** Whether mails are written to files for the operator, because there is no mail server. */
  readonly writesMailsToFiles: boolean
  /** Shows those files to people on this machine; undefined if others might see them, too. */
  readonly mailbox: Mailbox | undefined
  /** The content of security.txt; undefined: the portal has none. */
  readonly security?: SecurityContact | undefined
  /** Whether every developer needs a second factor, not only operators. */
  readonly isFactorRequired: boolean
  /** Maximum life of a key in days; 0: unlimited. */
  readonly keyMaxDays: number
  /** The gateway's counter, which the portal only reads. */
  readonly counter: Pick<Counter, 'peek'>
  /** The sandbox's side of the bank; undefined: there is no sandbox. */
  readonly sandbox: SandboxBank | undefined
  /** Whether a bank's API is published, whose customers approve what applications request. */
  readonly hasBank: () => boolean
  /** Whether callers may ask for drills in the calls of an API version. */
  readonly hasDrills: (version: ApiVersion) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Logs the unexpected error of a request, which the client sees only as 500. */
  readonly onError: (requestId: string, error: unknown) => void
}

/** What a part of the portal asks for: some of the services, and some of the stores. */
export type Needs<
  Service extends Exclude<keyof PortalServices, 'stores'>,
  Store extends keyof Stores,
> = Pick<PortalServices, Service> & { readonly stores: Pick<Stores, Store> }
