import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Cluster, Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { type Count, createFixedWindows } from '../../platform/fixed-windows.ts'
import { type ClientAddress, unknownClient } from '../../platform/http/client-address.ts'
import { networkOf, unknownClientsFactor } from '../../platform/http/client-network.ts'
import type { SecurityFact } from '../../platform/log/security-events.ts'
import { PortalError } from '../api/portal-error.ts'
import type { Keyring } from '../sealing/keyring.ts'
import { mailTokenSeconds } from '../stores/accounts/mail-tokens.ts'
import type { Turn } from './fair-queue.ts'

interface Limit {
  /**
   * What attempts are counted by.
   *
   * - `network`: an IPv4 address or an IPv6 /64. All unknown clients share one,
   *   with {@link unknownClientsFactor} times as many attempts.
   * - `email`: an email address, from any network.
   * - `in-network`: an email address, tried from one network. It does not count
   *   attempts of unknown clients.
   * - `device`: a known browser or a live session, with the email address.
   */
  readonly by: 'network' | 'email' | 'in-network' | 'device' | 'developer'
  /** Attempts allowed within a time that begins with the first one. */
  readonly most: number
  readonly seconds: number
  /** What the success of an attempt does to its count. (Default: nothing) */
  readonly success?: 'takeBack' | 'clear'
  /** The event of an attempt above the limit. (Default: `sign-in.throttled`) */
  readonly fact?: SecurityFact
}

const [quarter, hour, day] = [900, 3_600, 86_400]

/**
 * Generous for people, even for a whole office behind one address; tight for
 * programs. The names are parts of keys in Redis.
 */
const limits = {
  // Sign-ins from browsers that the owner of the address has not used before: two limits count failures, two all.
  'sign-in-of-network': { by: 'network', most: 60, seconds: quarter, success: 'takeBack' },
  'sign-in-of-address': { by: 'in-network', most: 10, seconds: quarter, success: 'clear' },
  // Each takes a core for tens of milliseconds, even with the right password.
  'strangers-of-address': { by: 'email', most: 30, seconds: quarter },
  'strangers-of-network': { by: 'network', most: 100, seconds: quarter },
  // Sign-ins from known browsers, and password checks in live sessions: two limits count failures, the last one all.
  'sign-in-of-device': { by: 'device', most: 10, seconds: quarter, success: 'clear' },
  // A thief of a session or of a browser's cookie must not be able to guess forever.
  'sign-in-of-device-in-a-day': { by: 'device', most: 100, seconds: day, success: 'clear' },
  'devices-of-address': { by: 'email', most: 30, seconds: quarter },
  // Sign-ins and proofs through the OpenID Connect provider.
  'provider-of-network': { by: 'network', most: 100, seconds: quarter },
  // Wrong codes of a second factor, after the right password.
  'code-of-developer': { by: 'developer', most: 10, seconds: quarter, success: 'clear' },
  // Sign-ups, resets and new addresses; sign-ups and new addresses; resets.
  'mail-of-network': { by: 'network', most: 40, seconds: hour, fact: requests('mail') },
  'mail-to-address': { by: 'email', most: 6, seconds: hour, fact: requests('mail') },
  // No longer than a link works: a refused owner still has a valid link in the mailbox, so
  // strangers cannot lock the owner out.
  'reset-of-address': { by: 'email', most: 2, seconds: mailTokenSeconds, fact: requests('reset') },
  // Ready consents, for all applications together: each adds rows at the bank that stay.
  'consent-of-developer': { by: 'developer', most: 30, seconds: hour, fact: requests('consent') },
  // Each change adds rows, and many send an email.
  'change-of-developer': { by: 'developer', most: 60, seconds: 60, fact: changes('change') },
  // Created and rotated keys.
  'key-of-developer': { by: 'developer', most: 20, seconds: hour, fact: changes('key') },
  // Keys for pages: one for each quarter of an hour, and for each time that a page is opened anew.
  'page-key-of-developer': { by: 'developer', most: 60, seconds: hour, fact: changes('key') },
  // Downloads of a developer's own data: each reads all rows.
  'export-of-developer': { by: 'developer', most: 5, seconds: day, fact: requests('export') },
  // Requests for more calls, for all applications together: operators read each.
  'wish-of-developer': { by: 'developer', most: 5, seconds: day, fact: requests('wish') },
  // Keys that are to replace themselves and cannot.
  'presented-of-network': {
    by: 'network',
    most: 60,
    seconds: 60,
    fact: { event: 'key.throttled' },
  },
} as const satisfies Record<string, Limit>

type LimitName = keyof typeof limits

/** What a client that a limit refuses can do instead of waiting. */
const instead: { readonly [Name in LimitName]?: string } = {
  'strangers-of-address':
    'You can sign in now with a browser that you have used before, or choose a new password by email.',
  'reset-of-address':
    'If the address has an account, use the link in the last email that we sent there.',
  'consent-of-developer': 'You can still use the last consent that you created.',
  'change-of-developer': 'You can still revoke keys and delete things.',
  'key-of-developer': 'You can still revoke keys.',
  'page-key-of-developer': 'You can still use a key of your own.',
  'export-of-developer': `You can download your data ${limits['export-of-developer'].most} times a day.`,
  'wish-of-developer': `You can ask for more calls ${limits['wish-of-developer'].most} times a day, for all your applications together.`,
}

/** Attempts that several limits count, in this order. */
const counts = {
  mail: ['mail-of-network', 'mail-to-address'],
  reset: ['mail-of-network', 'reset-of-address'],
  'sign-in-of-stranger': [
    'sign-in-of-network',
    'sign-in-of-address',
    'strangers-of-address',
    'strangers-of-network',
  ],
  'sign-in-of-owner': ['sign-in-of-device', 'sign-in-of-device-in-a-day', 'devices-of-address'],
} as const satisfies Record<string, readonly LimitName[]>

interface Source {
  readonly request: IncomingMessage
  readonly email: string
  readonly developerId: string
  /** The known browser or the live session of a sign-in; undefined: it may come from a stranger. */
  readonly device?: string | undefined
}

/** Limits how often clients sign in, request emails and data, create consents, ask for more calls and change things. */
export interface Attempts {
  /**
   * Counts an attempt before it is made, so that simultaneous attempts count
   * too.
   *
   * @throws {PortalError} ATTEMPTS_EXCEEDED; STORE_UNAVAILABLE when it cannot be counted
   */
  count(attempt: 'mail' | 'reset', source: Pick<Source, 'request' | 'email'>): Promise<Attempt>
  count(
    attempt: 'provider-of-network' | 'presented-of-network',
    source: Pick<Source, 'request'>,
  ): Promise<Attempt>
  count(
    attempt: Extract<LimitName, `${string}-of-developer`>,
    source: Pick<Source, 'developerId'>,
  ): Promise<Attempt>
  /** {@link count} for a sign-in with a password. */
  countSignIn(source: Omit<Source, 'developerId'>): Promise<SignInAttempt>
}

/** Corrects the counts of an attempt. No method fails: an attempt that stays counted is the safe side. */
export interface Attempt {
  /** Removes the attempt: no password was compared, or nothing was created. */
  abandoned(): Promise<void>
  /** Removes the attempt from the counts of failures, and earlier failures of the same device, address or developer. */
  succeeded(): Promise<void>
}

export interface SignInAttempt extends Attempt {
  /** Its place among those that wait for a comparison. */
  readonly turn: Turn
}

export interface AttemptsOptions {
  readonly clientAddress: ClientAddress
  /** Hashes addresses, so that readers of the store do not see them. */
  readonly key: Keyring
  /** Counts for all portal processes; undefined: for this one. */
  readonly redis: Redis | Cluster | undefined
  /** Monotonic milliseconds: limits in this process run by it. */
  readonly monotonic: () => number
  /** Replaces numbers of the table. */
  readonly most?: { readonly [Name in LimitName]?: number }
}

/**
 * Creates the limits. They never fail open: an attempt that cannot be counted
 * is refused.
 */
export function createAttempts(options: AttemptsOptions): Attempts {
  const { clientAddress, key, most = {} } = options
  const counters = new Map<LimitName, Counter>()

  function counterOf(name: LimitName): Counter {
    const counter = counters.get(name) ?? createCounter(name, options, most[name])
    counters.set(name, counter)
    return counter
  }

  /** Ignores case, and turns input of any length into a key of fixed length. */
  function hashed(...parts: string[]): string {
    return createHmac('sha256', key.newest)
      .update(parts.join('\n').toLowerCase())
      .digest('base64url')
  }

  /** The key of an attempt in each kind of limit; undefined: those limits do not count it. */
  function keysOf({ request, email = '', device = '', developerId = '' }: Partial<Source>) {
    const network = request === undefined ? unknownClient : networkOf(clientAddress(request))
    return {
      network,
      email: hashed(email),
      'in-network': network === unknownClient ? undefined : hashed(network, email),
      device: hashed(device, email),
      developer: developerId,
    }
  }

  async function apply(
    names: readonly LimitName[],
    keys: ReturnType<typeof keysOf>,
  ): Promise<Attempt> {
    const counted: ((end: 'abandoned' | 'succeeded') => unknown)[] = []
    const correct = async (end: 'abandoned' | 'succeeded') => {
      await Promise.allSettled(counted.map(async (one) => one(end)))
    }
    try {
      for (const limit of names) {
        const { by, success }: Limit = limits[limit]
        const key = keys[by]
        if (key === undefined) continue
        const counter = counterOf(limit)
        const { name, excess, endsInMs } = await counter.count(key)
        if (excess > 0) throw exceeded(limit, endsInMs)
        counted.push((end) => {
          const correction = end === 'abandoned' ? 'takeBack' : success
          return correction && counter[correction](name)
        })
      }
    } catch (refusal) {
      // Nothing is compared, and one locked address must not use up the sign-ins of a whole office.
      if (names !== counts.mail && names !== counts.reset) await correct('abandoned')
      throw refusal
    }
    return { abandoned: () => correct('abandoned'), succeeded: () => correct('succeeded') }
  }

  return {
    count: (attempt: 'mail' | 'reset' | LimitName, source: Partial<Source>) =>
      apply(
        attempt === 'mail' || attempt === 'reset' ? counts[attempt] : [attempt],
        keysOf(source),
      ),

    async countSignIn(source) {
      const keys = keysOf(source)
      const account = keys.email
      const ofStranger =
        keys.network === unknownClient ? [account] : [`network ${keys.network}`, account]
      const isStranger = source.device === undefined
      const attempt = await apply(
        counts[isStranger ? 'sign-in-of-stranger' : 'sign-in-of-owner'],
        keys,
      )
      // Its own lane, so that the owner does not wait for strangers who try the account.
      const lanes = isStranger ? ofStranger : [`owner ${account}`]
      return { ...attempt, turn: { lanes, isPreferred: !isStranger } }
    },
  }
}

/** The counter of one limit. */
interface Counter {
  /** @throws {PortalError} STORE_UNAVAILABLE */
  count(name: string): Promise<Count> | Count
  takeBack(name: string): unknown
  clear(name: string): unknown
}

function createCounter(
  name: LimitName,
  { redis, monotonic }: Pick<AttemptsOptions, 'redis' | 'monotonic'>,
  most: number = limits[name].most,
): Counter {
  const { seconds } = limits[name]
  if (redis === undefined) {
    return createFixedWindows({ allowance: most, windowMs: seconds * 1_000, now: monotonic })
  }
  const limiterOf = (points: number) =>
    new RateLimiterRedis({
      points,
      duration: seconds,
      keyPrefix: `tollgate:attempts:${name}`,
      storeClient: redis,
      rejectIfRedisNotReady: true,
    })
  const [ofKnown, ofUnknown] = [limiterOf(most), limiterOf(most * unknownClientsFactor)]
  return {
    async count(key) {
      const limiter = key === unknownClient ? ofUnknown : ofKnown
      const { consumedPoints, msBeforeNext } = await limiter.consume(key).catch(refusedOrUncounted)
      return { name: key, excess: consumedPoints - limiter.points, endsInMs: msBeforeNext }
    },
    takeBack: (key) => ofKnown.reward(key),
    clear: (key) => ofKnown.delete(key),
  }
}

/**
 * A limiter rejects with its result when no points are left. Otherwise the
 * client may try again as soon as Redis is back.
 */
function refusedOrUncounted(reason: unknown): RateLimiterRes {
  if (reason instanceof RateLimiterRes) return reason
  throw new PortalError(
    {
      code: 'STORE_UNAVAILABLE',
      detail:
        'The portal cannot count attempts at the moment, so it refuses them. Nothing was changed.',
      headers: { 'retry-after': '2' },
    },
    { cause: reason },
  )
}

function exceeded(limit: LimitName, waitMs: number): PortalError {
  const { fact = { event: 'sign-in.throttled' } }: Limit = limits[limit]
  const detail = instead[limit]
  return new PortalError(
    {
      code: 'ATTEMPTS_EXCEEDED',
      ...(detail === undefined ? {} : { detail }),
      headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
    },
    { fact: { ...fact, detail: { limit } } },
  )
}

function requests(reason: 'mail' | 'reset' | 'consent' | 'export' | 'wish'): SecurityFact {
  return { event: 'request.throttled', reason }
}

function changes(reason: 'change' | 'key'): SecurityFact {
  return { event: 'change.throttled', reason }
}
