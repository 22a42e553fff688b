import { valuesOf } from '../../platform/http/header-values.ts'
import type { SecurityEvents } from '../../platform/log/security-events.ts'
import { parseKey } from '../../registry/keys/key-format.ts'
import type { KeyMemory, RevokedKeys } from '../../registry/registry.ts'
import type { Call } from '../edge/call.ts'
import { hasKeyInQuery, keyIdInQuery } from '../edge/request/key-in-query.ts'

/** Records security events about API keys and client certificates, off the data path. */
export interface KeyFailures {
  /** Looks at a finished call. */
  ended(call: Call): void
  /** A network has used up its failed authentications of this minute. */
  throttled(address: string): void
}

export interface KeyFailuresOptions {
  readonly events: Pick<SecurityEvents, 'record'>
  readonly keys: Pick<KeyMemory, 'recogniseCached'> & RevokedKeys
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Maximum number of database look-ups a second, to distinguish a revoked key
 * from an unknown one. Low, so that strangers cannot load the database.
 */
const askedMax = 10

/** What an event may contain of a key: its public part, even if the rest of the text is not a key. */
const publicPart = /^tg_([0-9A-Za-z]{12})_/

export function createKeyFailures({ events, keys, now }: KeyFailuresOptions): KeyFailures {
  let second = 0
  let askable = askedMax

  function mayAsk(): boolean {
    const current = Math.floor(now() / 1_000)
    if (second !== current) {
      second = current
      askable = askedMax
    }
    askable -= 1
    return askable >= 0
  }

  function refused(call: Call, text: string): void {
    const event = {
      event: 'key.refused',
      ...whence(call),
      keyId: publicPart.exec(text)?.[1],
    } as const
    if (parseKey(text) === undefined) {
      events.record({ ...event, reason: 'malformed' })
      return
    }
    const cached = keys.recogniseCached(text)
    if (typeof cached === 'object') {
      events.record({ ...event, reason: 'expired', subject: `application:${cached.applicationId}` })
      return
    }
    if (!mayAsk()) {
      events.record({ ...event, reason: 'unknown' })
      return
    }
    keys.recogniseRevoked(text).then(
      (owner) =>
        events.record(
          owner === undefined
            ? { ...event, reason: 'unknown' }
            : { ...event, reason: 'revoked', subject: `application:${owner.applicationId}` },
        ),
      () => events.record({ ...event, reason: 'unknown' }),
    )
  }

  return {
    ended(call) {
      const { key } = call.fields
      if (call.refusal === 'KEY_INVALID' && typeof key === 'object') refused(call, key.value)
      const { version, operation, query } = call
      const isRouted = version !== undefined && operation !== undefined
      if (call.refusal === 'KEY_MISSING' && isRouted && hasKeyInQuery(query, version, operation)) {
        events.record({ event: 'key.exposed', ...whence(call), keyId: keyIdInQuery(query) })
      }
      if (call.refusal === 'ADDRESS_NOT_ALLOWED' && call.caller !== undefined) {
        const { keyId, applicationId } = call.caller
        events.record({
          event: 'key.refused',
          ...whence(call),
          keyId,
          reason: 'address',
          subject: `application:${applicationId}`,
        })
      }
      const certificate = refusedCertificate(call)
      if (certificate !== undefined) {
        events.record({ event: 'certificate.refused', ...whence(call), ...certificate })
      }
    },

    throttled(address) {
      events.record({ event: 'key.throttled', address })
    },
  }
}

/** Why a client certificate was refused; undefined unless it points to theft. */
function refusedCertificate({ refusal, refusalMembers, caller, certificate }: Call) {
  if (refusal === 'CLIENT_CERTIFICATE_BLOCKED') {
    const detail = { thumbprint: String(refusalMembers?.['thumbprint']) }
    return { reason: 'blocked', detail } as const
  }
  // Without a certificate that every call needs, or with one that does not hold, the caller is not known yet.
  if (caller === undefined) return undefined
  const owner = { keyId: caller.keyId, subject: `application:${caller.applicationId}` }
  if (refusal === 'CLIENT_CERTIFICATE_MISSING') return { reason: 'missing', ...owner } as const
  if (refusal !== 'CLIENT_CERTIFICATE_INVALID') return undefined
  const detail = { thumbprint: certificate?.thumbprint ?? '' }
  return { reason: 'foreign', ...owner, detail } as const
}

function whence({ address, requestId, request }: Call) {
  return { address, requestId, agent: valuesOf(request, 'user-agent')[0] }
}
