import { randomUUID } from 'node:crypto'
import { isOfBank } from '../backend/bank-operations.ts'
import { awayGrant } from '../gateway/counters/redis/away-grant.ts'
import { createEdge } from '../gateway/edge/create-edge.ts'
import {
  createIdentitySigner,
  embeddedIdentityKey,
  type IdentitySigner,
  readIdentityKeys,
} from '../gateway/edge/forward/identity.ts'
import { recordAvailability } from '../gateway/operate/availability/record-availability.ts'
import { createCallObserver } from '../gateway/operate/call-observer.ts'
import { type CallRecorder, createCallRecorder } from '../gateway/operate/call-recorder.ts'
import { endAtBank } from '../gateway/operate/end-at-bank.ts'
import { createKeyFailures } from '../gateway/operate/key-failures.ts'
import { createMomentOf } from '../gateway/operate/moment-of.ts'
import { closeListeners, listen } from '../platform/http/listen.ts'
import { createRecordedAddress } from '../platform/http/recorded-address.ts'
import { stopTimes } from '../platform/http/stop-times.ts'
import { assumeShortLivedObjects } from '../platform/process/short-lived.ts'
import { backendUrlOf, hasOwnBackend, hasSandbox } from '../platform/settings/sandbox.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import type { Addresses } from './addresses.ts'
import type { Certificates } from './certificates.ts'
import { openClientCertificates } from './client-certificates.ts'
import type { Publisher } from './publisher.ts'
import { openSecret } from './secrets.ts'
import type { Services } from './services.ts'
import type { Foundation } from './stores.ts'

export interface GatewayRoleOptions extends Foundation {
  /** Version of the package. */
  readonly version: string
  readonly certificates: Pick<Certificates, 'gateway' | 'upstream' | 'clientTrust'>
  readonly services: Pick<Services, 'metrics' | 'counter' | 'registry' | 'peppers'> & {
    readonly publisher: Pick<Publisher, 'current'>
  }
}

/**
 * The gateway role: the listener that takes the calls of applications. It binds
 * its port once the backend has an address.
 */
export interface GatewayRole {
  readonly identity: IdentitySigner
  /** @returns the origin of the listener */
  listen(addresses: Pick<Addresses, 'backend' | 'portal'>): Promise<string>
  /** From now on, deleted applications are reported to the bank. */
  endApplications(addresses: Pick<Addresses, 'backend'>): void
}

/**
 * Prepares the data path: checks, forwarding and metrics, without a listener.
 *
 * @throws when the identity key is not a valid signing key
 */
export async function prepareGateway(options: GatewayRoleOptions): Promise<GatewayRole> {
  const { settings, database, dataFolder, services, events, log, lifetime } = options
  const { metrics, publisher, counter, registry } = services
  const monotonic = (): number => performance.now()
  assumeShortLivedObjects()
  const keys = await options.secrets.follow('IDENTITY_PRIVATE_KEY', {
    text: await openSecret(settings.identityPrivateKey, dataFolder, embeddedIdentityKey),
    check: (text) => void readIdentityKeys(text),
  })
  const identity = await createIdentitySigner({
    keys,
    audience: settings.identityAudience,
    now: Date.now,
    monotonic,
  })
  const certificates = await openClientCertificates({ ...options, ...services })

  /** Backends of versions that have the bank's operations: others know no applications. */
  function bankUrls(addresses: Pick<Addresses, 'backend'>): ReadonlySet<string> {
    const versions = [...publisher.current().catalogue.versions.values()]
    return new Set(
      versions
        .filter(isOfBank)
        .map((version) => backendUrlOf(settings, version) ?? addresses.backend()),
    )
  }

  return {
    identity,
    async listen(addresses) {
      // Spans first, so they end last: a dead collector must not delay what the recorder has to write.
      const spans = await openSpans(options)
      const recorder = openRecording(options)
      const availability = recordAvailability({
        db: database.connect<RegistrySchema>(),
        log,
        now: Date.now,
        randomUUID,
      })
      lifetime.opened(() => availability.close())
      const edge = await createEdge({
        published: publisher.current,
        registry,
        counter,
        identity,
        certificates,
        observer: createCallObserver({
          metrics,
          log,
          accessLog: options.logSwitch.accessLog,
          monotonic,
          recorder,
          spans,
          availability,
          momentOf: createMomentOf({ now: Date.now, monotonic }),
          keyFailures: createKeyFailures({ events, keys: registry, now: Date.now }),
          recordedAddress: createRecordedAddress(settings.recordAddresses),
        }),
        isTraceSampled: spans && sampleOf(settings.otelTracesSamplerArg),
        followsSampledFlag: settings.traceFollowsCaller,
        tls: options.certificates.gateway,
        publicUrl: settings.gatewayPublicUrl,
        bankUrl: addresses.backend(),
        backendUrl: settings.backendUrl,
        backendUrls: settings.backendUrls,
        backendLimits: settings,
        upstreamTls: options.certificates.upstream,
        portalUrl: addresses.portal,
        backendEchoesRequestId: settings.backendEchoesRequestId,
        // A gateway without BACKEND_URL forwards to the bank beside it.
        drills: hasSandbox(settings, new Set(['backend']))
          ? { awayGrant, isAtSandbox: (version) => !hasOwnBackend(settings, version) }
          : undefined,
        authFailuresPerMinute: settings.authFailuresPerMinute,
        connectionLimits: settings,
        callLimits: settings,
        trustedProxies: settings.trustedProxies,
        forwardHeaders: settings.forwardHeaders,
        now: Date.now,
        monotonic,
        randomUUID,
      })
      metrics.watchLoad(edge.load)
      lifetime.opened(() => closeListeners([edge.app], () => edge.close()))
      const { longestCallMs } = stopTimes(settings.backendCallMs)
      return listen(edge.app, 'GATEWAY', settings.gateway, {
        isEnding: options.isEnding,
        longestCallMs,
        isShared: settings.gatewayReusePort,
      })
    },

    endApplications(addresses) {
      const ends = endAtBank({
        deleted: registry.deletedApplications,
        identity,
        bankUrls: () => bankUrls(addresses),
        tls: options.certificates.upstream,
        log,
      })
      for (const kind of ['application', 'developer'] as const) {
        registry.onChange(kind, ({ action }) => {
          if (action === 'delete') ends.now()
        })
      }
      lifetime.opened(() => ends.close())
    },
  }
}

/** OpenTelemetry's code is loaded only where spans are sent. */
async function openSpans({ settings, version, services, log, lifetime }: GatewayRoleOptions) {
  const { otelEndpoint: endpoint, otelHeaders: headers, otelServiceName: serviceName } = settings
  if (endpoint === undefined) return undefined
  const { createSpans } = await import('../gateway/operate/spans.ts')
  const spans = createSpans({
    endpoint,
    headers,
    serviceName,
    version,
    log,
    onLost: services.metrics.spansLost,
    monotonic: () => performance.now(),
    now: Date.now,
  })
  lifetime.opened(() => spans.close())
  return spans
}

/** Samples a share of the calls by the ids of the gateway's own spans, which are random and no caller can choose. */
function sampleOf(share: number): (spanId: string) => boolean {
  return (spanId) => Number.parseInt(spanId.slice(-8), 16) < share * 2 ** 32
}

/** Rows of calls per second, of each kind, when the embedded database, a thread of this process, writes them. */
const embeddedRowsPerSecond = 250

/**
 * Opens the recorder of calls that developers see in the portal.
 *
 * @returns undefined when the settings turn recording off; existing records
 * still expire
 */
function openRecording(options: GatewayRoleOptions): CallRecorder | undefined {
  const { settings, database, services, log, lifetime } = options
  if (!settings.recordCalls) return undefined
  const recorder = createCallRecorder({
    db: database.connect<RegistrySchema>(),
    keys: services.registry,
    metrics: services.metrics,
    log,
    now: Date.now,
    monotonic: () => performance.now(),
    ...options.pauses,
    ...(settings.databaseUrl === undefined && { rowsPerSecond: embeddedRowsPerSecond }),
  })
  lifetime.opened(() => recorder.close())
  return recorder
}
