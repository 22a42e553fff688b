import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Counter } from '../counters/counter.ts'
import type { RegistryStores } from '../registry/stores.ts'

/** What the routes of the portal stand on; each asks for the least of it. */
export interface PortalServices {
  /** The catalogue in force. */
  readonly catalogue: () => Catalogue
  /** The portal's own origin. */
  readonly portalUrl: () => string
  /** Origin of the gateway, as developers call it. */
  readonly gatewayUrl: () => string
  readonly stores: RegistryStores
  /** The counter that is enforced. */
  readonly counter: Pick<Counter, 'peek'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onError: (requestId: string, error: unknown) => void
}
