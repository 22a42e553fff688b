import { isIP } from 'node:net'
import { plainAddress } from '../../platform/http/client-address.ts'
import { isLoopback } from '../../platform/http/loopback.ts'
import { createNetworks } from '../../platform/http/networks.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { lookUp } from './look-up.ts'
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
  /** Whether they may lead to this machine, without TLS. */
  readonly isLocalAllowed: boolean
  /**
   * Reads an address as a developer enters it. Names are not resolved yet.
   *
   * @returns what it must be, to complete "must be …", or the address in its usual spelling
   */
  read(text: string): { readonly url: string } | { readonly rule: string }
  /**
   * Resolves a host name and checks all of its addresses.
   *
   * @throws {TargetRefused}; what the resolver throws; the reason of the signal
   */
  resolve(url: string, signal: AbortSignal): Promise<WebhookTarget>
}

export interface WebhookTargetsOptions {
  readonly settings: Pick<Settings, 'webhookNetworks'>
  /** (Default: {@link lookUp}) */
  readonly lookup?: (name: string, signal: AbortSignal) => Promise<readonly string[]>
}

export const webhookUrlLengthMax = 500

/**
 * Only this machine may be reached without TLS, and only if the settings name
 * it: developers who try webhooks have a receiver there.
 */
export function createWebhookTargets({
  settings,
  lookup = lookUp,
}: WebhookTargetsOptions): WebhookTargets {
  const isOwnNetwork = createNetworks(settings.webhookNetworks)
  const isLocal = isOwnNetwork('127.0.0.1')
  const rule = `an https address of the internet of at most ${webhookUrlLengthMax} characters, without a user name and without a fragment${isLocal ? ', or an http address of this machine' : ''}`

  function isAllowed(address: string): boolean {
    const plain = plainAddress(address)
    return isPublicAddress(plain) || isOwnNetwork(plain)
  }

  return {
    isLocalAllowed: isLocal,

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

    async resolve(text, signal) {
      const url = new URL(text)
      const host = bare(url.hostname)
      const found = isIP(host) === 0 ? await lookup(host, signal) : [host]
      const [first] = found
      // One private address among public ones is one too many: chance would decide which one is used.
      if (first === undefined || !found.every(isAllowed)) {
        throw new TargetRefused('the address is not one of the public internet')
      }
      return { url, address: first, family: isIP(first) === 6 ? 6 : 4 }
    },
  }
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}
