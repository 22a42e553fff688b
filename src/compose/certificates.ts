import { Counter, Gauge, type Registry } from 'prom-client'
import type { Trust, TrustOfFiles } from '../certificates/trust.ts'
import {
  type CertificateFiles,
  type KeyPair,
  type ListenerTls,
  parseAuthorities,
  parseKeyPair,
  type UpstreamCredentials,
} from '../platform/http/tls.ts'
import { codeOf } from '../platform/log/error-code.ts'
import type { Logger } from '../platform/log/log.ts'
import type { Lifetime } from '../platform/process/lifetime.ts'
import type { Role, Settings } from '../platform/settings/settings.ts'
import {
  createWatchedFiles,
  type NamedFile,
  type Watched,
  type WatchedFiles,
} from '../platform/settings/watched-files.ts'

/**
 * The TLS of a process's listeners and of its connections to the backend
 * (undefined: plain, or the public authorities), and whose client certificates
 * it trusts.
 */
export interface Certificates {
  readonly gateway: ListenerTls | undefined
  readonly management: ListenerTls | undefined
  readonly portal: ListenerTls | undefined
  readonly backend: ListenerTls | undefined
  readonly sca: ListenerTls | undefined
  readonly upstream: Watched<UpstreamCredentials> | undefined
  /**
   * The operator's authorities of client certificates and their revocation
   * lists; undefined: none, or no role of this process judges certificates.
   */
  readonly clientTrust: Watched<TrustOfFiles> | undefined
}

export interface CertificatesOptions {
  readonly settings: Settings
  readonly roles: ReadonlySet<Role>
  readonly metricsRegistry: Registry
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  readonly lifetime: Lifetime
  /** Milliseconds since 1970. (Default: that of Node) */
  readonly now?: () => number
}

const dayMs = 86_400_000

/** From this time before it expires, a certificate is a warning in the log; the alert rule has the same number. */
const warningMs = 21 * dayMs

/**
 * Reads the certificates of a process and follows their files.
 *
 * @throws {FilesInvalid}
 */
export async function openCertificates(
  options: CertificatesOptions,
): Promise<Certificates & Pick<WatchedFiles, 'watch' | 'reload' | 'onJudged'>> {
  const { settings, roles, metricsRegistry, log, lifetime, now = Date.now } = options
  const files = createWatchedFiles(options)
  lifetime.opened(() => files.close())
  const expiry = watchExpiry({ metricsRegistry, log, lifetime, now })
  const countFailures = createHandshakeCounter(metricsRegistry, log)

  async function pairOf(name: string, prefix: string, from: CertificateFiles) {
    let isFirst = true
    const pair = await files.watch({
      name,
      files: [
        { setting: `${prefix}_TLS_CERT_FILE`, path: from.certFile },
        { setting: `${prefix}_TLS_KEY_FILE`, path: from.keyFile },
      ],
      parse(contents) {
        const parsed = parseKeyPair(contents.map(String))
        // Startup continues with an expired certificate, because some clients may still accept it. A running listener
        // has nothing to gain from one.
        if (!isFirst) checkTime(parsed, now())
        isFirst = false
        return parsed
      },
    })
    expiry.follow(name, pair)
    return pair
  }

  async function listener(
    name: 'gateway' | 'management' | 'portal' | 'backend' | 'sca',
  ): Promise<ListenerTls | undefined> {
    const { tls } = settings[name]
    if (tls === undefined) return undefined
    const pair = await pairOf(name, name.toUpperCase(), tls)
    return {
      ...pair,
      asksForCertificate: name === 'gateway' && settings.gatewayClientCertificates !== 'off',
      handshakeFailed: countFailures(name),
    }
  }

  async function upstream(): Promise<Watched<UpstreamCredentials> | undefined> {
    if (settings.upstreamTls === undefined) return undefined
    const { caFile, pair: from } = settings.upstreamTls
    const ca =
      caFile === undefined
        ? undefined
        : await files.watch({
            name: 'upstream_ca',
            files: [{ setting: 'UPSTREAM_TLS_CA_FILE', path: caFile } satisfies NamedFile],
            parse: ([content = Buffer.alloc(0)]) => parseAuthorities(String(content)),
          })
    const pair = from && (await pairOf('upstream', 'UPSTREAM', from))
    const current = () => ({ ca: ca?.current(), pair: pair?.current() })
    return {
      current,
      onChange(notify) {
        const notifyOf = () => notify(current())
        const stops = [ca?.onChange(notifyOf), pair?.onChange(notifyOf)]
        return () => {
          for (const stop of stops) stop?.()
        }
      },
    }
  }

  const has = (role: Role): boolean => roles.has(role)

  async function clientTrust(): Promise<Watched<TrustOfFiles> | undefined> {
    const { gatewayClientCertificates: mode, clientCertificateCaFile: caFile } = settings
    const crlFile = settings.clientCertificateCrlFile
    const isUsed = has('backend') || (has('gateway') && mode !== 'off')
    if (caFile === undefined || !isUsed) return undefined
    // Loaded here, because ASN.1 takes a moment of a start.
    const { readTrust } = await import('../certificates/trust.ts')
    return files.watch({
      name: 'client_trust',
      files: [
        { setting: 'CLIENT_CERTIFICATE_CA_FILE', path: caFile },
        ...(crlFile === undefined
          ? []
          : [{ setting: 'CLIENT_CERTIFICATE_CRL_FILE', path: crlFile }]),
      ],
      parse: readTrust,
    })
  }

  const trust = await clientTrust()
  showTrustEnds(metricsRegistry, trust)
  return {
    watch: files.watch,
    reload: files.reload,
    onJudged: files.onJudged,
    clientTrust: trust,
    gateway: has('gateway') ? await listener('gateway') : undefined,
    management: await listener('management'),
    portal: has('portal') ? await listener('portal') : undefined,
    backend: has('backend') ? await listener('backend') : undefined,
    sca: has('backend') ? await listener('sca') : undefined,
    upstream: has('gateway') || has('portal') ? await upstream() : undefined,
  }
}

/** @throws when a certificate of the pair has expired or is not valid yet */
function checkTime({ validFrom, expiresAt }: KeyPair, at: number): void {
  if (expiresAt <= at) {
    throw new Error(`the certificate expired on ${new Date(expiresAt).toISOString()}`)
  }
  if (validFrom > at) {
    throw new Error(`the certificate is not valid before ${new Date(validFrom).toISOString()}`)
  }
}

/** Counts failed handshakes of listeners. The reason is in the log at level debug, because scanners cause many. */
export function createHandshakeCounter(
  metricsRegistry: Registry,
  log: Pick<Logger, 'debug'>,
): (listener: string) => ListenerTls['handshakeFailed'] {
  const failures = new Counter({
    name: 'gateway_tls_handshake_failures_total',
    help: 'TLS handshakes that failed, by listener',
    labelNames: ['listener'],
    registers: [metricsRegistry],
  })
  return (listener) => {
    // Prometheus sees the first event as an increase only if it scraped a 0 before.
    failures.inc({ listener }, 0)
    return (error) => {
      failures.inc({ listener })
      log.debug({ listener, code: codeOf(error) }, 'TLS handshake failed')
    }
  }
}

/** Shows when the first authority of client certificates and the first revocation list end. */
function showTrustEnds(metricsRegistry: Registry, trust: Watched<Trust> | undefined): void {
  new Gauge({
    name: 'gateway_client_trust_end_timestamp_seconds',
    help: 'When the first authority of client certificates expires, and when the first revocation list is out of date',
    labelNames: ['kind'],
    registers: [metricsRegistry],
    collect() {
      if (trust === undefined) return
      const { anchors, lists = [] } = trust.current()
      const first = (ends: readonly number[]) => Math.min(...ends) / 1_000
      this.set({ kind: 'authority' }, first(anchors.map(({ validUntil }) => validUntil)))
      if (lists.length === 0) return
      this.set({ kind: 'revocation-list' }, first(lists.map(({ nextUpdate }) => nextUpdate)))
    },
  })
}

interface Expiry {
  follow(name: string, pair: Watched<KeyPair>): void
}

/** Shows when each certificate expires, and warns once a day. */
function watchExpiry({
  metricsRegistry,
  log,
  lifetime,
  now,
}: Required<Pick<CertificatesOptions, 'metricsRegistry' | 'log' | 'lifetime' | 'now'>>): Expiry {
  const followed = new Map<string, Watched<KeyPair>>()
  new Gauge({
    name: 'gateway_certificate_expiry_timestamp_seconds',
    help: 'When the first certificate of the chain expires, in seconds since 1970',
    labelNames: ['certificate'],
    registers: [metricsRegistry],
    collect() {
      for (const [certificate, pair] of followed) {
        this.set({ certificate }, pair.current().expiresAt / 1_000)
      }
    },
  })

  function warn(certificate: string, { expiresAt }: KeyPair): void {
    const leftMs = expiresAt - now()
    const facts = { certificate, expiresAt: new Date(expiresAt).toISOString() }
    if (leftMs <= 0) log.error(facts, 'the certificate has expired')
    else if (leftMs < warningMs) {
      log.warn({ ...facts, days: Math.floor(leftMs / dayMs) }, 'the certificate expires soon')
    }
  }

  const timer = setInterval(() => {
    for (const [name, pair] of followed) warn(name, pair.current())
  }, dayMs).unref()
  lifetime.opened(() => clearInterval(timer))
  return {
    follow(name, pair) {
      followed.set(name, pair)
      warn(name, pair.current())
      pair.onChange((changed) => warn(name, changed))
    },
  }
}
