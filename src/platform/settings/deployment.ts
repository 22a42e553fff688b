import { isIPv6 } from 'node:net'
import { usesTls } from '../database/database-tls.ts'
import { serverUrls } from '../database/database-urls.ts'
import { isLoopback } from '../http/loopback.ts'
import type { RedisAddress } from '../redis/redis-address.ts'
import { hasSandbox } from './sandbox.ts'
import type { Role, Settings } from './settings.ts'
import { SettingsError } from './settings-reader.ts'

/**
 * Rejects combinations of roles and settings that would start but work
 * incorrectly: a limit multiplied by separate counters, keys that no process
 * can verify, or calls without a backend.
 *
 * @throws {SettingsError} with every problem
 */
export function checkDeployment(settings: Settings, roles: ReadonlySet<Role>): void {
  const isEmbedded = settings.databaseUrl === undefined
  const hasRedis = settings.redis !== undefined
  const gateway = roles.has('gateway')
  const portal = roles.has('portal')
  const backend = roles.has('backend')
  const isBankEncrypted =
    settings.backendUrl?.startsWith('https:') ?? settings.backend.tls !== undefined
  const isApart = portal && !backend && hasSandbox(settings, roles)
  const requirements: readonly { readonly isMissing: boolean; readonly problem: string }[] = [
    {
      isMissing: gateway && !hasRedis && settings.gatewayProcesses > 1,
      problem: `REDIS_URL: is required with GATEWAY_PROCESSES=${settings.gatewayProcesses}: processes that count separately would multiply every limit (e.g. redis://host:6379/0)`,
    },
    {
      isMissing: gateway && !hasRedis && settings.gatewayReusePort,
      problem:
        'REDIS_URL: is required with GATEWAY_REUSE_PORT=on: processes that count separately would multiply every limit (e.g. redis://host:6379/0)',
    },
    {
      isMissing: gateway && settings.gatewayReusePort && settings.gateway.port === 0,
      problem:
        'GATEWAY_PORT: must be a number other than 0 with GATEWAY_REUSE_PORT=on: port 0 is another one in each process (e.g. 8080)',
    },
    {
      isMissing: portal && !gateway && !hasRedis,
      problem:
        'REDIS_URL: is required for a portal without a gateway in its process: it shows the counts that the gateway enforces (e.g. redis://host:6379/0)',
    },
    {
      isMissing: portal && !gateway && settings.gatewayPublicUrl === undefined,
      problem:
        'GATEWAY_PUBLIC_URL: is required for a portal without a gateway in its process: its page shows this address and calls it (e.g. https://api.bank.example)',
    },
    {
      isMissing:
        gateway &&
        backend &&
        settings.backendUrl === undefined &&
        isBankEncrypted &&
        settings.upstreamTls?.caFile === undefined,
      problem:
        'UPSTREAM_TLS_CA_FILE: is required with BACKEND_TLS_CERT_FILE for a gateway in the same process, which calls the bank at its own address; the certificate must name that address (e.g. 127.0.0.1)',
    },
    {
      isMissing: backend && !gateway && settings.identityJwksUrls === undefined,
      problem:
        'IDENTITY_JWKS_URL: is required for a backend without a gateway in its process (e.g. http://10.0.0.5:9090/.well-known/jwks.json)',
    },
    {
      isMissing:
        gateway &&
        settings.gatewayClientCertificates !== 'off' &&
        settings.clientCertificateCaFile === undefined &&
        !hasSandbox(settings, roles),
      problem: `CLIENT_CERTIFICATE_CA_FILE: is required with GATEWAY_CLIENT_CERTIFICATES=${settings.gatewayClientCertificates}: without an authority no certificate is valid (e.g. /etc/tollgate/client-authorities.pem)`,
    },
    {
      isMissing:
        gateway &&
        settings.gatewayClientCertificates === 'required' &&
        settings.gateway.tls === undefined &&
        settings.clientCertificateProxies.length === 0,
      problem:
        'GATEWAY_TLS_CERT_FILE or TRUSTED_PROXIES: is required with GATEWAY_CLIENT_CERTIFICATES=required: without either no client can present a certificate (e.g. /etc/tollgate/gateway.pem, or 10.0.0.7)',
    },
    {
      isMissing:
        settings.clientCertificateCrlFile !== undefined &&
        settings.clientCertificateCaFile === undefined,
      problem:
        'CLIENT_CERTIFICATE_CA_FILE: is required with CLIENT_CERTIFICATE_CRL_FILE: lists are of authorities (e.g. /etc/tollgate/client-authorities.pem)',
    },
    {
      isMissing: portal && !isEmbedded && settings.sessionSecret === undefined,
      problem:
        'SESSION_SECRET or SESSION_SECRET_FILE: is required with DATABASE_URL: it signs sessions and encrypts emails (e.g. the output of: openssl rand -base64 32)',
    },
    {
      isMissing:
        portal && settings.securityPolicy !== undefined && settings.securityContact === undefined,
      problem:
        'SECURITY_CONTACT: is required with SECURITY_POLICY, which has no effect otherwise (e.g. mailto:security@bank.example)',
    },
    {
      isMissing: isApart && settings.sandboxSecret === undefined,
      problem:
        'SANDBOX_SECRET or SANDBOX_SECRET_FILE: is required with SANDBOX=on for a portal without a backend in its process: the bank answers only a portal that knows it (e.g. the output of: openssl rand -base64 32)',
    },
    {
      isMissing: isApart && settings.backendUrl === undefined,
      problem:
        'BACKEND_URL: is required with SANDBOX=on for a portal without a backend in its process (e.g. http://10.0.0.7:8082)',
    },
    {
      isMissing: (gateway || portal) && !isEmbedded && settings.keyPepper === undefined,
      problem:
        'KEY_PEPPER or KEY_PEPPER_FILE: is required with DATABASE_URL: without it no stored key can be verified (e.g. the output of: openssl rand -base64 32)',
    },
    {
      isMissing: gateway && !isEmbedded && settings.identityPrivateKey === undefined,
      problem:
        'IDENTITY_PRIVATE_KEY or IDENTITY_PRIVATE_KEY_FILE: is required with DATABASE_URL (e.g. the output of: openssl genpkey -algorithm ed25519)',
    },
  ]
  const problems = [
    ...requirements.flatMap(({ isMissing, problem }) => (isMissing ? [problem] : [])),
    ...plainPublicAddresses(settings, roles),
    ...(settings.requireTls
      ? [...plainListeners(settings, roles), ...plainTargets(settings, roles)]
      : []),
    ...halfAProvider(settings, portal),
    ...(gateway ? impossibleCalls(settings) : []),
  ]
  if (problems.length > 0) throw new SettingsError(problems)
}

/** Bounds of a call that contradict each other. */
function impossibleCalls(settings: Settings): string[] {
  const { backendConnectMs, backendFirstByteMs, backendIdleMs, backendCallMs } = settings
  const { bodyBytesMax, uploadBufferMax } = settings
  const parts = Object.entries({
    BACKEND_CONNECT_MS: backendConnectMs,
    BACKEND_FIRST_BYTE_MS: backendFirstByteMs,
    BACKEND_IDLE_MS: backendIdleMs,
  }).filter(([, ms]) => ms > backendCallMs)
  return [
    ...parts.map(
      ([name, ms]) =>
        `${name}: ${ms} is longer than BACKEND_CALL_MS=${backendCallMs}, the time for a whole call, so it has no effect (e.g. ${backendCallMs})`,
    ),
    ...(bodyBytesMax * 16 > uploadBufferMax
      ? [
          `UPLOAD_BUFFER_MAX: ${uploadBufferMax} is less than 16 times BODY_BYTES_MAX=${bodyBytesMax}: one application may use a small part of the memory only, and the longest body would not fit (e.g. ${bodyBytesMax * 16})`,
        ]
      : []),
  ]
}

/** Settings of an OpenID Connect provider that lack others. */
function halfAProvider(settings: Settings, isPortal: boolean): string[] {
  if (!isPortal) return []
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcOperatorGroup, oidcAcrValues } = settings
  if (oidcIssuer !== undefined) {
    return [
      ...(oidcClientId === ''
        ? ['OIDC_CLIENT_ID: is required with OIDC_ISSUER (e.g. tollgate-portal)']
        : []),
      ...(oidcClientSecret === undefined
        ? [
            'OIDC_CLIENT_SECRET or OIDC_CLIENT_SECRET_FILE: is required with OIDC_ISSUER (e.g. the secret that the provider shows for this client)',
          ]
        : []),
    ]
  }
  const given = [
    oidcClientId === '' ? [] : ['OIDC_CLIENT_ID'],
    oidcClientSecret === undefined ? [] : ['OIDC_CLIENT_SECRET'],
    oidcOperatorGroup === '' ? [] : ['OIDC_OPERATOR_GROUP'],
    oidcAcrValues.length === 0 ? [] : ['OIDC_ACR_VALUES'],
  ].flat()
  return given.length === 0
    ? []
    : [
        `OIDC_ISSUER: is required with ${given.join(', ')}, which would have no effect (e.g. https://login.bank.example)`,
      ]
}

/**
 * Public addresses over plain HTTP: keys and passwords would travel unencrypted.
 * Without a public address, the listener's own one counts. A named proxy may
 * encrypt on its side.
 */
function plainPublicAddresses(settings: Settings, roles: ReadonlySet<Role>): string[] {
  if (settings.trustedProxies.length > 0) return []
  const isEdge = roles.has('gateway') || roles.has('portal')
  const listeners = [
    {
      name: 'GATEWAY',
      isServed: roles.has('gateway'),
      isNamed: isEdge,
      address: settings.gateway,
      url: settings.gatewayPublicUrl,
    },
    {
      name: 'PORTAL',
      isServed: roles.has('portal'),
      isNamed: isEdge,
      address: settings.portal,
      url: settings.portalPublicUrl,
    },
    {
      name: 'SCA',
      isServed: roles.has('backend'),
      isNamed: roles.has('backend'),
      address: settings.sca,
      url: settings.scaPublicUrl,
    },
  ]
  const published = listeners.flatMap(({ isNamed, name, url }) =>
    isNamed && url?.startsWith('http:') === true && !isLoopback(new URL(url).hostname)
      ? [
          `${name}_PUBLIC_URL: ${url} is not encrypted. Use https://, with ${name}_TLS_CERT_FILE and ${name}_TLS_KEY_FILE; if a proxy encrypts, name it in TRUSTED_PROXIES (e.g. TRUSTED_PROXIES=10.0.0.7)`,
        ]
      : [],
  )
  const open = listeners.flatMap(({ isServed, name, address, url }) =>
    isServed && url === undefined && address.tls === undefined && !isLoopback(address.host)
      ? [
          `${name}_HOST: ${address.host} serves other machines without encryption. Set ${name}_TLS_CERT_FILE and ${name}_TLS_KEY_FILE; if a proxy encrypts, name it in TRUSTED_PROXIES; if only this machine reaches the address, set ${name}_PUBLIC_URL (e.g. http://localhost:${address.port})`,
        ]
      : [],
  )
  return [...published, ...open]
}

/** Listeners that other machines reach without encryption. A proxy counts as another machine. */
function plainListeners(settings: Settings, roles: ReadonlySet<Role>): string[] {
  const listeners = [
    { name: 'GATEWAY', isServed: roles.has('gateway'), address: settings.gateway },
    { name: 'PORTAL', isServed: roles.has('portal'), address: settings.portal },
    { name: 'BACKEND', isServed: roles.has('backend'), address: settings.backend },
    { name: 'SCA', isServed: roles.has('backend'), address: settings.sca },
    { name: 'MANAGEMENT', isServed: true, address: settings.management },
  ]
  return listeners.flatMap(({ name, isServed, address }) =>
    isServed && address.tls === undefined && !isLoopback(address.host)
      ? [
          `${name}_HOST: ${address.host} serves other machines without encryption, which REQUIRE_TLS=true forbids. Set ${name}_TLS_CERT_FILE and ${name}_TLS_KEY_FILE (e.g. /etc/tollgate/tls.crt and tls.key)`,
        ]
      : [],
  )
}

/** What works but not as a deployment for other machines needs it: one sentence each. */
export function deploymentWarnings(settings: Settings, roles: ReadonlySet<Role>): string[] {
  return [
    ...unreachableAddresses(settings, roles),
    ...unsentMail(settings, roles),
    ...uncheckedRevocation(settings, roles),
    ...plainTargets(settings, roles),
    ...openMetrics(settings),
    ...unnamedProxies(settings, roles),
    ...wideProxies(settings, roles),
    ...operatorsOfOneFactor(settings, roles),
    ...foreignSandbox(settings, roles),
    ...unreadOtel(settings, roles),
  ]
}

/** Certificates of clients, for TLS or for signing, that count although their revocation is not checked. */
function uncheckedRevocation(settings: Settings, roles: ReadonlySet<Role>): string[] {
  const {
    gatewayClientCertificates: mode,
    clientCertificateCaFile,
    clientCertificateCrlFile,
  } = settings
  const judges = roles.has('backend') || (roles.has('gateway') && mode !== 'off')
  if (!judges) return []
  if (clientCertificateCaFile === undefined || clientCertificateCrlFile !== undefined) return []
  return ['CLIENT_CERTIFICATE_CRL_FILE is not set: a revoked client certificate still works']
}

/** Connections that this process opens to other machines without encryption. */
function plainTargets(settings: Settings, roles: ReadonlySet<Role>): string[] {
  const { databaseUrl, redis, backendUrl, backendUrls } = settings
  const { identityJwksUrls = [], gatewayUrl, gatewayPublicUrl, otelEndpoint } = settings
  const isPlainUrl = (url: string | undefined): boolean =>
    url?.startsWith('http:') === true && !isLoopback(new URL(url).hostname)
  const usesStores = roles.has('gateway') || roles.has('portal')
  const plain = [
    {
      isSo: databaseUrl !== undefined && serverUrls(databaseUrl).some(isPlainDatabase),
      text: 'DATABASE_URL: the connection to PostgreSQL is not encrypted (add ?sslmode=verify-full)',
    },
    {
      isSo: usesStores && redis !== undefined && isPlainRedis(redis),
      text: 'REDIS_URL: the connection to Redis is not encrypted (use rediss in place of redis)',
    },
    {
      isSo:
        (roles.has('gateway') || (roles.has('portal') && hasSandbox(settings, roles))) &&
        isPlainUrl(backendUrl),
      text: 'BACKEND_URL: the connection to the backend is not encrypted (use https://)',
    },
    {
      isSo: roles.has('gateway') && [...backendUrls.values()].some(isPlainUrl),
      text: 'BACKEND_URLS: the connection to a backend is not encrypted (use https://)',
    },
    {
      isSo: roles.has('backend') && !roles.has('gateway') && identityJwksUrls.some(isPlainUrl),
      text: "IDENTITY_JWKS_URL: the gateway's keys arrive unencrypted, and with false keys any caller passes for any application (use https://, with MANAGEMENT_TLS_CERT_FILE at the gateway)",
    },
    {
      isSo:
        roles.has('portal') && !roles.has('gateway') && isPlainUrl(gatewayUrl ?? gatewayPublicUrl),
      text: 'GATEWAY_URL: the connection to the gateway is not encrypted (use https://)',
    },
    {
      isSo: roles.has('gateway') && isPlainUrl(otelEndpoint),
      text: 'OTEL_EXPORTER_OTLP_ENDPOINT: the connection to the collector is not encrypted (use https://)',
    },
  ]
  return plain.flatMap(({ isSo, text }) => (isSo ? [text] : []))
}

/** Metrics that other machines read without a token or TLS. */
function openMetrics({ management, managementToken }: Settings): string[] {
  if (isLoopback(management.host)) return []
  if (management.tls !== undefined || managementToken !== undefined) return []
  return [
    'MANAGEMENT_HOST: metrics are open to every machine that reaches this address (set MANAGEMENT_TOKEN_FILE, and MANAGEMENT_TLS_CERT_FILE with MANAGEMENT_TLS_KEY_FILE)',
  ]
}

function isPlainDatabase(text: string): boolean {
  const url = new URL(text)
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  return !usesTls(url) && !host.startsWith('/') && !isLoopback(host)
}

function isPlainRedis(address: RedisAddress): boolean {
  if (address.isEncrypted) return false
  const { topology } = address
  const hosts =
    topology === 'single'
      ? [address.server]
      : topology === 'sentinel'
        ? address.sentinels
        : address.nodes
  return hosts.some(({ host }) => !isLoopback(host))
}

/** Something encrypts in front of a plain listener, but Tollgate does not know its address. */
function unnamedProxies(settings: Settings, roles: ReadonlySet<Role>): string[] {
  if (settings.trustedProxies.length > 0) return []
  const listeners = [
    { role: 'gateway', name: 'GATEWAY', address: settings.gateway, url: settings.gatewayPublicUrl },
    { role: 'portal', name: 'PORTAL', address: settings.portal, url: settings.portalPublicUrl },
  ] as const
  return listeners.flatMap(({ role, name, address, url }) =>
    roles.has(role) && address.tls === undefined && url?.startsWith('https:') === true
      ? [
          `TRUSTED_PROXIES is not set, but ${name}_PUBLIC_URL is https:// and the listener is not: for Tollgate, all clients have the address of the proxy`,
        ]
      : [],
  )
}

/** Networks in place of the addresses of proxies: what their machines write is believed. */
function wideProxies(settings: Settings, roles: ReadonlySet<Role>): string[] {
  const believed = [
    {
      isUsed: roles.has('gateway') || roles.has('portal'),
      name: 'TRUSTED_PROXIES',
      networks: settings.trustedProxies,
      claim: 'client address',
    },
    {
      isUsed: roles.has('gateway') && settings.gatewayClientCertificates !== 'off',
      name: 'CLIENT_CERTIFICATE_PROXIES (if unset, TRUSTED_PROXIES)',
      networks: settings.clientCertificateProxies,
      claim: 'client certificate',
    },
  ]
  return believed.flatMap(({ isUsed, name, networks, claim }) => {
    const wide = networks.filter(isWide)
    if (!isUsed || wide.length === 0) return []
    return [
      `${name}: every machine in ${wide.join(', ')} can claim any ${claim}. Name only your proxies (e.g. 10.0.7.11, 10.0.7.12)`,
    ]
  })
}

function isWide(network: string): boolean {
  const [address = '', bits] = network.split('/')
  return bits !== undefined && Number(bits) < (isIPv6(address) ? 64 : 24)
}

/** Operators whose provider may have asked for one password only. */
function operatorsOfOneFactor(settings: Settings, roles: ReadonlySet<Role>): string[] {
  const { oidcOperatorGroup, oidcAcrValues } = settings
  if (!roles.has('portal') || oidcOperatorGroup === '' || oidcAcrValues.length > 0) return []
  return [
    'OIDC_OPERATOR_GROUP without OIDC_ACR_VALUES: operators sign in with whatever the provider asks for, perhaps only a password. Name the values that stand for two factors (e.g. OIDC_ACR_VALUES=phr)',
  ]
}

/** A portal that other machines reach, but that sends no email. */
function unsentMail(settings: Settings, roles: ReadonlySet<Role>): string[] {
  const { portalPublicUrl: url, smtpUrl } = settings
  const isPublic = roles.has('portal') && url !== undefined && !leadsHere(url)
  if (!isPublic || smtpUrl !== undefined) return []
  return ['SMTP_URL is not set: the portal writes its emails to files and sends none']
}

/**
 * Addresses that a deployment of several processes publishes although no other
 * machine can reach them: one sentence each.
 */
function unreachableAddresses(settings: Settings, roles: ReadonlySet<Role>): string[] {
  if (settings.databaseUrl === undefined) return []
  const handedOut = [
    {
      isUsed: roles.has('gateway') || roles.has('portal'),
      name: 'PORTAL_PUBLIC_URL',
      url: settings.portalPublicUrl,
      use: 'error documents and emails link to it',
    },
    {
      isUsed: roles.has('portal'),
      name: 'GATEWAY_PUBLIC_URL',
      url: settings.gatewayPublicUrl,
      use: 'the portal shows it to developers',
    },
    {
      isUsed: roles.has('backend'),
      name: 'SCA_PUBLIC_URL',
      url: settings.scaPublicUrl,
      use: 'the sandbox bank sends customers there to approve',
    },
  ]
  return handedOut.flatMap(({ isUsed, name, url, use }) => {
    if (!isUsed || (url !== undefined && !leadsHere(url))) return []
    const state = url === undefined ? 'is not set' : 'leads only to this machine'
    return [`${name} ${state}: ${use}`]
  })
}

/** Whether an address means another thing on every machine: loopback, or 0.0.0.0. */
function leadsHere(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === '0.0.0.0' || isLoopback(hostname)
}

/** A backend that only the operator knows to be a sandbox bank: the drills of developers reach it. */
function foreignSandbox({ sandbox, backendUrl }: Settings, roles: ReadonlySet<Role>): string[] {
  if (!roles.has('gateway') || sandbox !== 'on' || backendUrl === undefined) return []
  return [
    'SANDBOX=on with BACKEND_URL: the gateway takes this backend for the sandbox bank. Developers can send it drills, calls that no limit counts. Set SANDBOX=off if it is another bank',
  ]
}

/** Variables of OpenTelemetry that an operator may know from other programs. */
function unreadOtel({ otelUnread }: Settings, roles: ReadonlySet<Role>): string[] {
  if (!roles.has('gateway')) return []
  return otelUnread.map((name) => `${name} has no effect: Tollgate does not read it`)
}
