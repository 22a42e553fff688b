import { origin } from '../platform/http/listen.ts'
import type { Settings } from '../platform/settings/settings.ts'

/** Listeners in the order of the ready line. */
const listeners = ['gateway', 'management', 'portal', 'backend', 'sca'] as const
type Listener = (typeof listeners)[number]

/**
 * Where others reach the parts of this installation. A setting wins; otherwise
 * it is the listener of this process, which learns its own port only once
 * bound. So these are functions, to call when an address is needed.
 */
export interface Addresses {
  readonly gateway: () => string
  readonly portal: () => string
  readonly backend: () => string
  /** The bank's approval pages; undefined when they are not in this process and no setting says where. */
  readonly sca: () => string | undefined
  /** Notes that a listener of this process is bound. */
  bound(listener: Listener, origin: string): void
  /** `tollgate ready gateway=… management=… portal=… backend=… sca=…`, with the bound listeners only. */
  readyLine(): string
}

export function createAddresses(settings: Settings): Addresses {
  const { gatewayPublicUrl, portalPublicUrl, backendUrl, scaPublicUrl } = settings
  const bound = new Map<Listener, string>()
  return {
    gateway: () => gatewayPublicUrl ?? bound.get('gateway') ?? origin(settings.gateway),
    portal: () => portalPublicUrl ?? bound.get('portal') ?? origin(settings.portal),
    backend: () => backendUrl ?? bound.get('backend') ?? origin(settings.backend),
    sca: () => scaPublicUrl ?? bound.get('sca'),
    bound: (listener, url) => void bound.set(listener, url),
    readyLine() {
      const parts = listeners.flatMap((name) =>
        bound.has(name) ? `${name}=${bound.get(name)}` : [],
      )
      return ['tollgate ready', ...parts].join(' ')
    },
  }
}
