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
 * Attempts allowed (`points`) within a time (`duration`, seconds) that begins
 * with the first attempt. Generous for people, even for a whole office behind
 * one address; tight for programs.
 */
export const attemptLimits = {
  /** Failed sign-ins from one network to one address. */
  'sign-in-of-address': { points: 10, duration: 900 },
  /** Failed sign-ins from one network, whatever the address. */
  'sign-in-of-network': { points: 60, duration: 900 },
  /** Mails requested from one network: sign-ups, resets, new addresses. */
  'mail-of-network': { points: 40, duration: 3600 },
  /** Sign-ups and new addresses for one address, from any network. */
  'mail-to-address': { points: 6, duration: 3600 },
  /**
   * Resets of one address, from any network. The limit lasts no longer than a
   * link works: a refused owner still has a valid link in the mailbox, so
   * strangers cannot lock the owner out.
   */
  'reset-of-address': { points: 2, duration: mailTokenSeconds },
  /** Ready consents for all applications of one developer: each is rows at the bank that stay. */
  'consent-of-developer': { points: 30, duration: 3600 },
} as const

/** Limits how often clients may sign in, request mails and create ready consents. */
export interface Attempts {
  /**
   * Counts an attempt to sign in before it is made, so that simultaneous
   * attempts count too.
   *
   * @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted
   */
  signIn(request: IncomingMessage, email: string): Promise<SignInAttempt>
  /** Counts a requested mail other than a reset. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  mail(request: IncomingMessage, to: string): Promise<void>
  /** Counts a requested reset. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  reset(request: IncomingMessage, to: string): Promise<void>
  /** Counts a ready consent before it is created. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  readyConsent(developerId: string): Promise<Attempt>
}

/** Corrects the count of an attempt. No method fails: an attempt that stays counted is the safe side. */
export interface Attempt {
  /** Removes the attempt from the count: no password was compared, or no consent created. */
  abandoned(): Promise<void>
}

export interface SignInAttempt extends Attempt {
  /** Removes the attempt and earlier failures of the same network and address from the count. */
  succeeded(): Promise<void>
}

export interface AttemptsOptions {
  readonly clientAddress: ClientAddress
  /** Hashes addresses, so that readers of the store do not see them. */
  readonly key: Buffer
  /** Counts for all portal processes; undefined: for this one. */
  readonly redis: Redis | Cluster | undefined
}

/**
 * Creates the limits. They never fail open: an attempt that cannot be counted
 * is refused.
 */
export function createAttempts({ clientAddress, key, redis }: AttemptsOptions): Attempts {
  const limiters = {
    signInOfAddress: limiter('sign-in-of-address'),
    signInOfNetwork: limiter('sign-in-of-network'),
    mailOfNetwork: limiter('mail-of-network'),
    mailToAddress: limiter('mail-to-address'),
    resetOfAddress: limiter('reset-of-address'),
    consentOfDeveloper: limiter('consent-of-developer'),
  }

  function limiter(name: keyof typeof attemptLimits): RateLimiterAbstract {
    const options = { ...attemptLimits[name], keyPrefix: `tollgate:attempts:${name}` }
    return redis === undefined
      ? new RateLimiterMemory(options)
      : new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true })
  }

  /** Ignores case, and turns input of any length into a name of fixed length. */
  function named(...parts: string[]): string {
    return createHmac('sha256', key).update(parts.join('\n').toLowerCase()).digest('base64url')
  }

  return {
    async signIn(request, email) {
      const network = networkOf(clientAddress(request))
      const address = named(network, email)
      await count(limiters.signInOfNetwork, network)
      try {
        await count(limiters.signInOfAddress, address)
      } catch (refusal) {
        // Nothing was compared: one locked address must not use up the attempts of a whole office.
        await limiters.signInOfNetwork.reward(network).catch(() => undefined)
        throw refusal
      }
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
        'If the address has an account, use the link in the last email we sent to it.',
      )
    },

    async readyConsent(developerId) {
      await count(
        limiters.consentOfDeveloper,
        developerId,
        'Until then, use the last consent that you created.',
      )
      return {
        async abandoned() {
          await limiters.consentOfDeveloper.reward(developerId).catch(() => undefined)
        },
      }
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
  const what = 'Too many attempts. Try again after the time in Retry-After.'
  return new PortalError({
    code: 'ATTEMPTS_EXCEEDED',
    detail: consolation === undefined ? what : `${what} ${consolation}`,
    headers: { 'retry-after': String(Math.max(1, Math.ceil(msBeforeNext / 1000))) },
  })
}

/** Not ATTEMPTS_EXCEEDED: the client may try again as soon as the store is back. */
function uncounted(cause: unknown): PortalError {
  return new PortalError(
    {
      code: 'STORE_UNAVAILABLE',
      detail:
        'The portal cannot count attempts at the moment and refuses them. Nothing was changed.',
      headers: { 'retry-after': '2' },
    },
    { cause },
  )
}
