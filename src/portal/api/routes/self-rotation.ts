import type { FastifyRequest } from 'fastify'
import { createNetworks } from '../../../platform/http/networks.ts'
import type { SecurityFact } from '../../../platform/log/security-events.ts'
import type { Caller } from '../../../registry/registry.ts'
import { RegistryConflict } from '../../../registry/registry-errors.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { issuedKeyAnswer } from '../answers.ts'
import { PortalError } from '../portal-error.ts'
import { IssuedKey, SelfRotation } from '../schemas/applications.ts'

const overlapSecondsDefault = 3_600

/**
 * Registers the route by which a program rotates its key without a person. The
 * key alone is enough, if its owner has allowed that. Every other key gets the
 * same answer, whatever is wrong with it.
 */
export function registerSelfRotation(
  app: PortalApp,
  {
    attempts,
    clientAddress,
    now,
    stores,
  }: Needs<'attempts' | 'clientAddress' | 'now', 'keys' | 'recognise'>,
): void {
  const { keys } = stores

  /** @throws {PortalError} KEY_INVALID */
  async function callerOf(request: FastifyRequest): Promise<Caller> {
    const text = request.headers['x-api-key']
    const caller = typeof text === 'string' ? await stores.recognise(text) : 'invalid'
    if (caller === 'invalid') throw invalid({ event: 'key.refused', reason: 'unknown' })
    if (caller.isSuspended) throw invalid()
    const { allowedAddresses, applicationId, keyId } = caller
    const isAllowedAddress =
      allowedAddresses.length === 0 || createNetworks(allowedAddresses)(clientAddress(request.raw))
    if (!isAllowedAddress) {
      const subject = `application:${applicationId}`
      throw invalid({ event: 'key.refused', reason: 'address', keyId, subject })
    }
    return caller
  }

  async function rotate({ keyId }: Caller, overlapSeconds: number) {
    try {
      const by = `key:${keyId}`
      return await keys.rotate({ id: keyId, overlapSeconds, isByItself: true, by })
    } catch (error) {
      const isRefused = error instanceof RegistryConflict && error.rule === 'key-not-itself'
      throw isRefused ? invalid() : error
    }
  }

  app.post(
    '/api/keys/self/rotate',
    {
      schema: {
        operationId: 'rotateOwnKey',
        summary:
          'Rotate the key in X-API-Key, if it may replace itself; only this response contains the new key; if it is lost, ask again before the new key is used',
        body: SelfRotation,
        response: { 201: IssuedKey },
        problems: ['KEY_INVALID', 'CONFLICT', 'ATTEMPTS_EXCEEDED'],
      },
    },
    async (request) => {
      const guess = await attempts.count('presented-of-network', { request: request.raw })
      const caller = await callerOf(request)
      const budget = await attempts.count('key-of-developer', { developerId: caller.developerId })
      try {
        const { overlapSeconds = overlapSecondsDefault } = request.body ?? {}
        const issued = await rotate(caller, overlapSeconds)
        await guess.abandoned()
        return issuedKeyAnswer(issued, now())
      } catch (error) {
        await budget.abandoned()
        throw error
      }
    },
  )
}

/** The same for every key that cannot do this: a thief of a key must not learn which rule prevents it. */
function invalid(fact?: SecurityFact): PortalError {
  return new PortalError(
    {
      code: 'KEY_INVALID',
      detail:
        'The key in X-API-Key is missing, unknown or no longer works, or it may not replace itself from here.',
    },
    { fact },
  )
}
