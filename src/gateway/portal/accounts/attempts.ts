import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Cluster, Redis } from 'ioredis'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import { type ClientAddress, networkOf } from '../../../platform/client-address.ts'
import { mailTokenSeconds } from '../../registry/mail-tokens.ts'
import { PortalError } from '../portal-error.ts'

/**
 * How many attempts there may be within how many seconds, from the first one
 * on. Generous for people, and for a building full of them behind one address;
 * tight for programs.
 */
export const attemptLimits = {
  /** Failed sign-ins from one network to one address. */
  'sign-in-of-address': { points: 10, duration: 900 },
  /** Failed sign-ins from one network, whatever the address. */
  'sign-in-of-network': { points: 60, duration: 900 },
  /** Mails somebody asked for from one network: sign-ups, resets, new addresses. */
  'mail-of-network': { points: 40, duration: 3600 },
  /** Sign-ups and new addresses for one address, whoever asked. */
  'mail-to-address': { points: 6, duration: 3600 },
  /**
   * Resets of one address, whoever asked. No longer than a link works: whoever
   * is refused has one in the mailbox, so strangers do not lock the owner out.
   */
  'reset-of-address': { points: 2, duration: mailTokenSeconds },
} as const

/** Attempts that may be made so often only. */
export interface Attempts {
  /**
   * Counts an attempt to sign in before it is made, so that those made at once
   * count too.
   *
   * @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted
   */
  signIn(request: IncomingMessage, email: string): Promise<SignInAttempt>
  /** Counts a mail somebody asks for, other than a reset. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  mail(request: IncomingMessage, to: string): Promise<void>
  /** Counts a reset somebody asks for. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  reset(request: IncomingMessage, to: string): Promise<void>
}

/** What is not taken back is counted too much: the safe side, so neither ever fails. */
export interface SignInAttempt {
  /** Takes it back, and the failures of the same network and address before it. */
  succeeded(): Promise<void>
  /** Takes it back: nothing was compared. */
  abandoned(): Promise<void>
}

export interface AttemptsOptions {
  readonly clientAddress: ClientAddress
  /** Makes names of addresses, which are not for every reader of a store. */
  readonly key: Buffer
  /** Counts for all portal processes; undefined: for this one. */
  readonly redis: Redis | Cluster | undefined
}

/**
 * Creates the throttles. They never open: what cannot be counted is refused.
 */
export function createAttempts({ clientAddress, key, redis }: AttemptsOptions): Attempts {
  const limiters = {
    signInOfAddress: limiter('sign-in-of-address'),
    signInOfNetwork: limiter('sign-in-of-network'),
    mailOfNetwork: limiter('mail-of-network'),
    mailToAddress: limiter('mail-to-address'),
    resetOfAddress: limiter('reset-of-address'),
  }

  function limiter(name: keyof typeof attemptLimits): RateLimiterAbstract {
    const options = { ...attemptLimits[name], keyPrefix: `tollgate:attempts:${name}` }
    return redis === undefined
      ? new RateLimiterMemory(options)
      : new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true })
  }

  /** Upper and lower case are the same address; everything a person may type is one name of fixed length. */
  function named(...parts: string[]): string {
    return createHmac('sha256', key).update(parts.join('\n').toLowerCase()).digest('base64url')
  }

  return {
    async signIn(request, email) {
      const network = networkOf(clientAddress(request))
      const address = named(network, email)
      await count(limiters.signInOfNetwork, network)
      await count(limiters.signInOfAddress, address)
      return {
        async succeeded() {
          await Promise.allSettled([
            limiters.signInOfAddress.delete(address),
            limiters.signInOfNetwork.reward(network),
          ])
        },
        async abandoned() {
          await Promise.allSettled([
            limiters.signInOfAddress.reward(address),
            limiters.signInOfNetwork.reward(network),
          ])
        },
      }
    },

    async mail(request, to) {
      await count(limiters.mailOfNetwork, networkOf(clientAddress(request)))
      await count(limiters.mailToAddress, named(to))
    },

    async reset(request, to) {
      await count(limiters.mailOfNetwork, networkOf(clientAddress(request)))
      await count(
        limiters.resetOfAddress,
        named(to),
        'If the address has an account, the link in its last mail works until then.',
      )
    },
  }
}

/** @param consolation what to do instead of waiting, a sentence */
async function count(
  limiter: RateLimiterAbstract,
  name: string,
  consolation?: string,
): Promise<void> {
  try {
    await limiter.consume(name)
  } catch (reason) {
    throw reason instanceof RateLimiterRes ? exceeded(reason, consolation) : uncounted(reason)
  }
}

function exceeded({ msBeforeNext }: RateLimiterRes, consolation?: string): PortalError {
  const what = 'Too many attempts. Wait as long as Retry-After says.'
  return new PortalError({
    code: 'ATTEMPTS_EXCEEDED',
    detail: consolation === undefined ? what : `${what} ${consolation}`,
    headers: { 'retry-after': String(Math.max(1, Math.ceil(msBeforeNext / 1000))) },
  })
}

/** Nobody tried too often: who reads that would not try again. */
function uncounted(cause: unknown): PortalError {
  return new PortalError(
    {
      code: 'STORE_UNAVAILABLE',
      detail: 'Attempts cannot be counted at the moment, so none is made. Nothing was changed.',
      headers: { 'retry-after': '2' },
    },
    { cause },
  )
}
