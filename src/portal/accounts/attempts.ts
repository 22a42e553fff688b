import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Cluster, Redis } from 'ioredis'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import {
  type ClientAddress,
  networkOf,
  unknownClient,
  unknownClientsFactor,
} from '../../platform/http/client-address.ts'
import type { SecurityFact } from '../../platform/log/security-events.ts'
import { PortalError } from '../api/portal-error.ts'
import type { Keyring } from '../sealing/keyring.ts'
import { mailTokenSeconds } from '../stores/accounts/mail-tokens.ts'
import type { Turn } from './fair-queue.ts'

/**
 * Attempts allowed (`points`) within a time (`duration`, seconds) that begins
 * with the first attempt. Generous for people, even for a whole office behind
 * one address; tight for programs.
 */
export const attemptLimits = {
  // Of browsers that the owner of the address has not used before:
  /** Failed sign-ins from one network to one address. */
  'sign-in-of-address': { points: 10, duration: 900 },
  /** Failed sign-ins from one network, whatever the address. */
  'sign-in-of-network': { points: 60, duration: 900 },
  /** All sign-ins to one address, from any network. Each takes a core for tens of milliseconds, also a right one. */
  'strangers-of-address': { points: 30, duration: 900 },
  /** All sign-ins from one network, whatever the address. */
  'strangers-of-network': { points: 100, duration: 900 },
  // Of known browsers and live sessions, which what strangers do never slows down:
  /** Failures of one browser or session. */
  'sign-in-of-device': { points: 10, duration: 900 },
  /** The same in a day: also who stole a session or a browser's cookie must not guess for ever. */
  'sign-in-of-device-in-a-day': { points: 100, duration: 86_400 },
  /** All sign-ins of an address from its known browsers and sessions. */
  'devices-of-address': { points: 30, duration: 900 },
  /** Sign-ins and proofs through the OpenID Connect provider from one network. */
  'provider-of-network': { points: 100, duration: 900 },
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
  /** Wrong codes of a second factor, after the right password. */
  'code-of-developer': { points: 10, duration: 900 },
  /** Ready consents for all applications of one developer: each is rows at the bank that stay. */
  'consent-of-developer': { points: 30, duration: 3600 },
  /** Changes of one signed-in developer. Each leaves rows, and many a mail. CHANGES_PER_MINUTE */
  'change-of-developer': { points: 60, duration: 60 },
  /** Keys that a developer creates or rotates. KEYS_PER_HOUR */
  'key-of-developer': { points: 20, duration: 3600 },
  /** Downloads of one developer's own data: each reads all rows. */
  'export-of-developer': { points: 5, duration: 86_400 },
  /** Requests for more calls, for all applications of one developer: operators read each. */
  'wish-of-developer': { points: 5, duration: 86_400 },
  /** Keys from one network that cannot replace themselves. */
  'presented-of-network': { points: 60, duration: 60 },
} as const

/** Limits how often clients may sign in, request mails and data, create ready consents, ask for calls and change things. */
export interface Attempts {
  /**
   * Counts an attempt to sign in before it is made, so that simultaneous
   * attempts count too.
   *
   * @param device the known browser or the live session that it comes from;
   *   undefined: it may come from a stranger
   * @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted
   */
  signIn(
    request: IncomingMessage,
    email: string,
    device: string | undefined,
  ): Promise<SignInAttempt>
  /** Counts a sign-in or a proof through the provider before the provider is asked. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  provider(request: IncomingMessage): Promise<void>
  /** Counts a requested mail other than a reset. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  mail(request: IncomingMessage, to: string): Promise<void>
  /** Counts a requested reset. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  reset(request: IncomingMessage, to: string): Promise<void>
  /** Counts a code of a second factor before it is compared. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  code(developerId: string): Promise<CodeAttempt>
  /** Counts a ready consent before it is created. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  readyConsent(developerId: string): Promise<Attempt>
  /** Counts a change by a signed-in developer. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  change(developerId: string): Promise<void>
  /** Counts a key before it is created. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  key(developerId: string): Promise<Attempt>
  /** Counts an export of a developer's own data before it begins. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  ownData(developerId: string): Promise<void>
  /** Counts a request for more calls before it is made. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  wish(developerId: string): Promise<Attempt>
  /** Counts a key that is to replace itself before it is compared. @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted */
  presentedKey(request: IncomingMessage): Promise<Attempt>
}

/** Corrects the count of an attempt. No method fails: an attempt that stays counted is the safe side. */
export interface Attempt {
  /** Removes the attempt from the count: no password was compared, or no consent created. */
  abandoned(): Promise<void>
}

export interface SignInAttempt extends Attempt {
  /** Its place among those that wait for a comparison. */
  readonly turn: Turn
  /** Removes the attempt from the count of failures, with earlier failures of the same source and address. */
  succeeded(): Promise<void>
}

export interface CodeAttempt {
  /** Removes the attempt and earlier failures from the count; never fails. */
  succeeded(): Promise<void>
}

export interface AttemptsOptions {
  readonly clientAddress: ClientAddress
  /** Hashes addresses, so that readers of the store do not see them. */
  readonly key: Keyring
  /** Counts for all portal processes; undefined: for this one. */
  readonly redis: Redis | Cluster | undefined
  /** (Default: that of {@link attemptLimits}) */
  readonly changesPerMinute?: number
  /** (Default: that of {@link attemptLimits}) */
  readonly keysPerHour?: number
}

/**
 * Creates the limits. They never fail open: an attempt that cannot be counted
 * is refused.
 */
export function createAttempts(options: AttemptsOptions): Attempts {
  const { clientAddress, key, redis, changesPerMinute, keysPerHour } = options
  const limiters = {
    signInOfAddress: limiter('sign-in-of-address'),
    signInOfNetwork: perNetwork('sign-in-of-network'),
    strangersOfAddress: limiter('strangers-of-address'),
    strangersOfNetwork: perNetwork('strangers-of-network'),
    signInOfDevice: limiter('sign-in-of-device'),
    signInOfDeviceInADay: limiter('sign-in-of-device-in-a-day'),
    devicesOfAddress: limiter('devices-of-address'),
    providerOfNetwork: perNetwork('provider-of-network'),
    mailOfNetwork: perNetwork('mail-of-network'),
    mailToAddress: limiter('mail-to-address'),
    resetOfAddress: limiter('reset-of-address'),
    codeOfDeveloper: limiter('code-of-developer'),
    consentOfDeveloper: limiter('consent-of-developer'),
    changeOfDeveloper: limiter('change-of-developer', changesPerMinute),
    keyOfDeveloper: limiter('key-of-developer', keysPerHour),
    exportOfDeveloper: limiter('export-of-developer'),
    wishOfDeveloper: limiter('wish-of-developer'),
    presentedOfNetwork: perNetwork('presented-of-network'),
  }

  function limiter(
    name: keyof typeof attemptLimits,
    points: number = attemptLimits[name].points,
  ): RateLimiterAbstract {
    const { duration } = attemptLimits[name]
    const options = { points, duration, keyPrefix: `tollgate:attempts:${name}` }
    return redis === undefined
      ? new RateLimiterMemory(options)
      : new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true })
  }

  /** @returns the limiter of a network */
  function perNetwork(name: keyof typeof attemptLimits): (network: string) => RateLimiterAbstract {
    const ofNetwork = limiter(name)
    const ofUnknown = limiter(name, attemptLimits[name].points * unknownClientsFactor)
    return (network) => (network === unknownClient ? ofUnknown : ofNetwork)
  }

  function countOfNetwork(
    limiterOf: (network: string) => RateLimiterAbstract,
    request: IncomingMessage,
  ): Promise<void> {
    const network = networkOf(clientAddress(request))
    return count(limiterOf(network), network)
  }

  /** Ignores case, and turns input of any length into a name of fixed length. */
  function named(...parts: string[]): string {
    return createHmac('sha256', key.newest)
      .update(parts.join('\n').toLowerCase())
      .digest('base64url')
  }

  function ofAddressInNetwork(network: string, email: string): SignInCount {
    const name = named(network, email)
    return { limiter: limiters.signInOfAddress, name, success: 'delete' }
  }

  return {
    async signIn(request, email, device) {
      const network = networkOf(clientAddress(request))
      const account = named(email)
      const isUnknown = network === unknownClient
      const lanesOfStranger = isUnknown ? [account] : [`network ${network}`, account]
      const counts: readonly SignInCount[] =
        device === undefined
          ? [
              { limiter: limiters.signInOfNetwork(network), name: network, success: 'reward' },
              ...(isUnknown ? [] : [ofAddressInNetwork(network, email)]),
              {
                limiter: limiters.strangersOfAddress,
                name: account,
                success: 'stay',
                consolation:
                  'You can sign in now with a browser that you have used before, or choose a new password by email.',
              },
              { limiter: limiters.strangersOfNetwork(network), name: network, success: 'stay' },
            ]
          : [
              { limiter: limiters.signInOfDevice, name: named(device, email), success: 'delete' },
              {
                limiter: limiters.signInOfDeviceInADay,
                name: named(device, email),
                success: 'delete',
              },
              { limiter: limiters.devicesOfAddress, name: account, success: 'stay' },
            ]
      await countAll(counts)
      return {
        turn: {
          // A lane of its own, so that the owner does not wait for strangers who try the account.
          lanes: device === undefined ? lanesOfStranger : [`owner ${account}`],
          isPreferred: device !== undefined,
        },
        async succeeded() {
          await Promise.allSettled(
            counts.map(async ({ limiter, name, success }) => {
              if (success !== 'stay') await limiter[success](name)
            }),
          )
        },
        abandoned: () => giveBack(counts),
      }
    },

    provider: (request) => countOfNetwork(limiters.providerOfNetwork, request),

    async mail(request, to) {
      await countOfNetwork(limiters.mailOfNetwork, request)
      await count(limiters.mailToAddress, named(to))
    },

    async reset(request, to) {
      await countOfNetwork(limiters.mailOfNetwork, request)
      await count(
        limiters.resetOfAddress,
        named(to),
        'If the address has an account, use the link in the last email that we sent there.',
      )
    },

    async code(developerId) {
      await count(limiters.codeOfDeveloper, developerId)
      return {
        async succeeded() {
          await limiters.codeOfDeveloper.delete(developerId).catch(() => undefined)
        },
      }
    },

    async readyConsent(developerId) {
      await count(
        limiters.consentOfDeveloper,
        developerId,
        'You can still use the last consent that you created.',
      )
      return {
        async abandoned() {
          await limiters.consentOfDeveloper.reward(developerId).catch(() => undefined)
        },
      }
    },

    change: (developerId) =>
      count(
        limiters.changeOfDeveloper,
        developerId,
        'You can still revoke keys and delete things.',
      ),

    async key(developerId) {
      await count(limiters.keyOfDeveloper, developerId, 'You can still revoke keys.')
      return {
        async abandoned() {
          await limiters.keyOfDeveloper.reward(developerId).catch(() => undefined)
        },
      }
    },

    ownData: (developerId) =>
      count(
        limiters.exportOfDeveloper,
        developerId,
        `You can download your data ${attemptLimits['export-of-developer'].points} times a day.`,
      ),

    async wish(developerId) {
      await count(
        limiters.wishOfDeveloper,
        developerId,
        `You can ask for more calls ${attemptLimits['wish-of-developer'].points} times a day, for all your applications together.`,
      )
      return {
        async abandoned() {
          await limiters.wishOfDeveloper.reward(developerId).catch(() => undefined)
        },
      }
    },

    async presentedKey(request) {
      const network = networkOf(clientAddress(request))
      const limiter = limiters.presentedOfNetwork(network)
      await count(limiter, network)
      return {
        async abandoned() {
          await limiter.reward(network).catch(() => undefined)
        },
      }
    },
  }
}

/** One of the counts of an attempt to sign in. */
interface SignInCount {
  readonly limiter: RateLimiterAbstract
  readonly name: string
  /** What a success does: the attempt does not count, nor do earlier ones (`delete`), or it stays counted. */
  readonly success: 'reward' | 'delete' | 'stay'
  readonly consolation?: string
}

/** Counts an attempt everywhere, or nowhere: nothing is compared, and one locked address must not use up the attempts of a whole office. */
async function countAll(counts: readonly SignInCount[]): Promise<void> {
  for (const [index, { limiter, name, consolation }] of counts.entries()) {
    try {
      await count(limiter, name, consolation)
    } catch (refusal) {
      await giveBack(counts.slice(0, index))
      throw refusal
    }
  }
}

async function giveBack(counts: readonly SignInCount[]): Promise<void> {
  await Promise.allSettled(counts.map(({ limiter, name }) => limiter.reward(name)))
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
    throw reason instanceof RateLimiterRes
      ? exceeded(reason, throttled(limiter), consolation)
      : uncounted(reason)
  }
}

/** The event that an exceeded limit is. The limit's own name starts with what was attempted. */
function throttled({ keyPrefix }: RateLimiterAbstract): SecurityFact {
  const limit = keyPrefix.slice(keyPrefix.lastIndexOf(':') + 1)
  const detail = { limit }
  const request = (['mail', 'reset', 'consent', 'export', 'wish'] as const).find((kind) =>
    limit.startsWith(kind),
  )
  if (request !== undefined) return { event: 'request.throttled', reason: request, detail }
  if (limit.startsWith('presented')) return { event: 'key.throttled', detail }
  const change = (['change', 'key'] as const).find((kind) => limit.startsWith(kind))
  if (change !== undefined) return { event: 'change.throttled', reason: change, detail }
  return { event: 'sign-in.throttled', detail }
}

function exceeded(
  { msBeforeNext }: RateLimiterRes,
  fact: SecurityFact,
  consolation?: string,
): PortalError {
  return new PortalError(
    {
      code: 'ATTEMPTS_EXCEEDED',
      ...(consolation === undefined ? {} : { detail: consolation }),
      headers: { 'retry-after': String(Math.max(1, Math.ceil(msBeforeNext / 1000))) },
    },
    { fact },
  )
}

/** Not ATTEMPTS_EXCEEDED: the client may try again as soon as the store is back. */
function uncounted(cause: unknown): PortalError {
  return new PortalError(
    {
      code: 'STORE_UNAVAILABLE',
      detail:
        'The portal cannot count attempts at the moment, so it refuses them. Nothing was changed.',
      headers: { 'retry-after': '2' },
    },
    { cause },
  )
}
