import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Counter } from '../counters/counter.ts'
import type { RegistryStores } from '../registry/stores.ts'
import type { Attempts } from './accounts/attempts.ts'
import type { Passwords } from './accounts/passwords.ts'
import type { Mailbox } from './mail/mailbox.ts'
import type { Mails } from './mail/open-mails.ts'
import type { PageFiles } from './pages/open-page.ts'
import type { PortalMetrics } from './portal-metrics.ts'
import type { PortalSecrets } from './portal-secrets.ts'
import type { SandboxBank } from './sandbox-bank.ts'

/** The services of the portal's routes; each route asks only for those it needs. */
export interface PortalServices {
  /** The current catalogue. */
  readonly catalogue: () => Catalogue
  /** The portal's own origin. */
  readonly portalUrl: () => string
  /** Origin of the gateway, as developers call it. */
  readonly gatewayUrl: () => string
  /** Origin of the gateway, as this process reaches it. */
  readonly probedGatewayUrl: () => string
  readonly stores: RegistryStores
  readonly secrets: PortalSecrets
  readonly mails: Mails
  readonly page: PageFiles
  readonly passwords: Passwords
  readonly attempts: Attempts
  readonly metrics: PortalMetrics
  /** Whether mails become files of the operator, for want of a mail server. */
  readonly writesMailsToFiles: boolean
  /** Shows those files on this machine; undefined where others might see them. */
  readonly mailbox: Mailbox | undefined
  /** The counter that is enforced. */
  readonly counter: Pick<Counter, 'peek'>
  /** The sandbox's side of the bank; undefined: there is no sandbox. */
  readonly sandbox: SandboxBank | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onError: (requestId: string, error: unknown) => void
}
