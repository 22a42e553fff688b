import type { SessionStore } from '@fastify/session'
import { isOutage } from '../../platform/database/database.ts'
import { PortalError } from '../api/portal-error.ts'
import type { Sessions } from '../stores/accounts/sessions.ts'

/**
 * The registry's sessions as @fastify/session wants them. A visitor leaves no
 * row: sessions begin, get new ids and end in the registry, whose checks belong
 * to the same transaction, so there is nothing left to `set` or `destroy`.
 */
export function createSessionStore(sessions: Pick<Sessions, 'find'>): SessionStore {
  return {
    get(id, callback) {
      sessions.find(id).then(
        (signIn) =>
          callback(
            null,
            signIn === undefined ? null : { cookie: { originalMaxAge: null }, signIn },
          ),
        (error: unknown) => callback(translate(error)),
      )
    },
    set: (_id, _session, callback) => callback(),
    destroy: (_id, callback) => callback(),
  }
}

/** The plugin takes any error with the code ENOENT for "no such session", including that of a missing database socket. */
function translate(cause: unknown): unknown {
  if (!isOutage(cause)) return new Error('the sessions cannot be read', { cause })
  return new PortalError({ code: 'STORE_UNAVAILABLE', headers: { 'retry-after': '2' } }, { cause })
}
