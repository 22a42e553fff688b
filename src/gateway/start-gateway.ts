import { randomUUID } from 'node:crypto'
import type { DataFolder } from '../platform/data-folder.ts'
import type { Database } from '../platform/database.ts'
import type { Lifetime } from '../platform/lifetime.ts'
import { closeListeners, listen } from '../platform/listen.ts'
import type { Logger } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import { expectShortLives } from '../platform/short-lived.ts'
import { createEdge } from './edge/create-edge.ts'
import {
  createIdentitySigner,
  embeddedIdentityKey,
  type IdentitySigner,
} from './edge/forward/identity.ts'
import { openRecording } from './open-recording.ts'
import { openSecret } from './open-secret.ts'
import type { Services } from './open-services.ts'
import { createCallObserver } from './operate/call-observer.ts'

export interface GatewayRoleOptions {
  readonly settings: Settings
  readonly dataFolder: DataFolder | undefined
  readonly database: Database
  readonly services: Pick<Services, 'metrics' | 'counter' | 'registry'> & {
    readonly publisher: Pick<Services['publisher'], 'current'>
  }
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Whether the process is about to stop but still serves. */
  readonly isEnding: () => boolean
  /** See {@link openRecording}. */
  readonly recordsPerSecond?: number | undefined
}

/** The gateway role: the listener that takes the calls of applications. It binds its port once the backend has an address. */
export interface GatewayRole {
  readonly identity: IdentitySigner
  /** @returns the origin of the listener */
  listen(backendUrl: string, portalUrl: () => string): Promise<string>
}

/**
 * Prepares the data path: checks, forwarding and metrics, without a listener.
 *
 * @throws when the identity key is not a valid signing key
 */
export async function prepareGateway(options: GatewayRoleOptions): Promise<GatewayRole> {
  const { settings, dataFolder, services, log, lifetime } = options
  const { metrics, publisher, counter, registry } = services
  expectShortLives()
  const identity = await createIdentitySigner({
    privateKeyPem: await openSecret(settings.identityPrivateKey, dataFolder, embeddedIdentityKey),
    audience: settings.identityAudience,
    now: Date.now,
    monotonic: () => performance.now(),
  })
  return {
    identity,
    async listen(backendUrl, portalUrl) {
      const monotonic = (): number => performance.now()
      const recorder = openRecording(options)
      const edge = await createEdge({
        published: publisher.current,
        registry,
        counter,
        identity,
        observer: createCallObserver({ metrics, log, recorder, monotonic }),
        backendUrl,
        backendEchoesRequestId: settings.backendEchoesRequestId,
        portalUrl,
        authFailuresPerMinute: settings.authFailuresPerMinute,
        connectionLimits: settings,
        callLimits: settings,
        trustedProxies: settings.trustedProxies,
        forwardHeaders: settings.forwardHeaders,
        now: Date.now,
        monotonic,
        randomUUID,
      })
      lifetime.opened(() => closeListeners([edge.app], () => edge.close()))
      return listen(edge.app, 'GATEWAY', settings.gateway, options.isEnding)
    },
  }
}
