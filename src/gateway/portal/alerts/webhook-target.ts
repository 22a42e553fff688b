import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { plainAddress } from '../../../platform/client-address.ts'
import { isLoopback } from '../../../platform/loopback.ts'
import { createNetworks } from '../../../platform/networks.ts'
import type { Settings } from '../../../platform/settings.ts'
import { isPublicAddress } from './public-address.ts'

/** The address of a webhook cannot be used; the message is for its developer. */
export class TargetRefused extends Error {}

/** Where a request to a webhook goes: the address that was checked, not the name, which may change its meaning. */
export interface WebhookTarget {
  readonly url: URL
  readonly address: string
  readonly family: 4 | 6
}

/** Judges where webhooks may lead. */
export interface WebhookTargets {
  /**
   * Reads an address as a developer enters it. Names are not resolved yet.
   *
   * @returns what it must be, to complete "must be …", or the address in its usual spelling
   */
  read(text: string): { readonly url: string } | { readonly rule: string }
  /**
   * Resolves the name of an address and checks all that it stands for.
   *
   * @throws {TargetRefused}; what the resolver throws
   */
  resolve(url: string): Promise<WebhookTarget>
}

export interface WebhookTargetsOptions {
  readonly settings: Pick<
    Settings,
    'webhookNetworks' | 'portal' | 'portalPublicUrl' | 'trustedProxies'
  >
  /** (Default: that of the system) */
  readonly lookup?: (name: string) => Promise<readonly { readonly address: string }[]>
}

export const webhookUrlLengthMax = 500

/** A portal that serves this machine alone may also reach this machine: who tries webhooks has a receiver here. */
export function createWebhookTargets({
  settings,
  lookup = (name) => systemLookup(name, { all: true }),
}: WebhookTargetsOptions): WebhookTargets {
  const isLocal = isOfThisMachine(settings)
  const isOwnNetwork = createNetworks(settings.webhookNetworks)
  const rule = `an https address of the internet of at most ${webhookUrlLengthMax} characters, without a user name and without a fragment${isLocal ? ', or an http address of this machine' : ''}`

  function isAllowed(address: string): boolean {
    const plain = plainAddress(address)
    return isPublicAddress(plain) || isOwnNetwork(plain) || (isLocal && isLoopback(plain))
  }

  return {
    read(text) {
      const url = URL.parse(text)
      if (url === null || text.length > webhookUrlLengthMax) return { rule }
      const { protocol, hostname, username, password, hash, href } = url
      const isScheme =
        protocol === 'https:' || (protocol === 'http:' && isLocal && isLoopback(hostname))
      const host = bare(hostname)
      const isHost = isIP(host) === 0 ? isLocal || !isLoopback(host) : isAllowed(host)
      const isPlain = username === '' && password === '' && hash === '' && !text.includes('#')
      return isScheme && isHost && isPlain && href.length <= webhookUrlLengthMax
        ? { url: href }
        : { rule }
    },

    async resolve(text) {
      const url = new URL(text)
      const host = bare(url.hostname)
      const found = isIP(host) === 0 ? await lookup(host) : [{ address: host }]
      const [first] = found
      // One private address among public ones is one too many: chance would decide which one is used.
      if (first === undefined || !found.every(({ address }) => isAllowed(address))) {
        throw new TargetRefused('the address is not one of the public internet')
      }
      return { url, address: first.address, family: isIP(first.address) === 6 ? 6 : 4 }
    },
  }
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function isOfThisMachine(settings: WebhookTargetsOptions['settings']): boolean {
  const { portal, portalPublicUrl, trustedProxies } = settings
  return (
    isLoopback(portal.host) &&
    (portalPublicUrl === undefined || isLoopback(new URL(portalPublicUrl).hostname)) &&
    trustedProxies.length === 0
  )
}
