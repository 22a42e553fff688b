// This folder reads the settings. Read this file first: it has one row for each setting. `settings-reader.ts` parses
// values and collects the problems, `deployment.ts` rejects combinations that cannot work, and `setting-warnings.ts`
// names variables without an effect. `watched-files.ts` reads the files of settings again when they change. Roles get
// values, never the environment.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'
import type { AccessLog } from '../http/access-log.ts'
import { isLoopback } from '../http/loopback.ts'
import { addressModes } from '../http/recorded-address.ts'
import type { CertificateFiles } from '../http/tls.ts'
import { logFormats, logLevels } from '../log/log.ts'
import { createSettingsReader, type SettingsReader } from './settings-reader.ts'

/** The roles a process can run. */
export const roles = ['gateway', 'portal', 'backend'] as const
export type Role = (typeof roles)[number]

/** What the gateway trusts and presents as a client of the backend. At least one is set. */
export interface UpstreamFiles {
  readonly caFile: string | undefined
  readonly pair: CertificateFiles | undefined
}

/**
 * The folder in which the command runs, unless it has none and nothing but a
 * trial runs there. A gateway in production that lost its configuration must
 * not publish samples.
 */
function defaultConfig(isEmbedded: boolean): string {
  const samples = fileURLToPath(new URL('../../../config', import.meta.url))
  return isEmbedded && !existsSync('config') ? samples : 'config'
}

/** Facts about other settings, for defaults that depend on them. */
interface Given {
  /** No DATABASE_URL: the database is embedded. */
  readonly isEmbedded: boolean
  /** REDIS_URL is set: counters are shared between processes. */
  readonly isShared: boolean
}

/** One setting: its description for people (Markdown), and how to read it. */
export interface SettingRow<Value> {
  /** Environment variables, in the order of their defaults. */
  readonly names: readonly string[]
  /** The default, in words. */
  readonly fallback: string
  readonly meaning: string
  /** Whether no part of the value may be shown. */
  readonly isSecret?: true
  readonly read: (reader: SettingsReader, given: Given) => Value
}

function row<Value>(
  names: string | readonly string[],
  value: Omit<SettingRow<Value>, 'names'>,
): SettingRow<Value> {
  return { names: [names].flat(), ...value }
}

function listener(prefix: string, port: number, meaning: string, host = '127.0.0.1') {
  return row(
    [`${prefix}_HOST`, `${prefix}_PORT`, `${prefix}_TLS_CERT_FILE`, `${prefix}_TLS_KEY_FILE`],
    {
      fallback: `${host}, ${port}, plain HTTP`,
      meaning,
      read: (reader) => reader.address(prefix, port, host),
    },
  )
}

function origin(name: string, fallback: string, example: string, meaning: string) {
  return row(name, {
    fallback,
    meaning,
    read: (reader) => reader.origin(name, example),
  })
}

function integer(name: string, fallback: number, [min, max]: [number, number], meaning: string) {
  return row(name, {
    fallback: fallback.toLocaleString('en'),
    meaning,
    read: (reader) => reader.integer(name, fallback, min, max),
  })
}

function secret(name: string, fallback: string, lengthMin: number, meaning: string) {
  return row([name, `${name}_FILE`], {
    fallback,
    meaning,
    isSecret: true,
    read: (reader) => reader.secret(name, lengthMin),
  })
}

/** A secret that is replaced without a gap. */
function secretList(name: string, fallback: string, meaning: string) {
  return row([name, `${name}_FILE`], {
    fallback,
    meaning,
    isSecret: true,
    read: (reader) => reader.secretList(name, secretLengthMin),
  })
}

/** The least length of a secret of {@link secretList}. */
export const secretLengthMin = 32

const listeners = {
  gateway: listener(
    'GATEWAY',
    8080,
    'The published operations. Port 0 selects any free port, here and below. The two files are PEM: the certificate with its issuers, and its private key. Tollgate reads them again when they change.',
  ),
  management: listener(
    'MANAGEMENT',
    9090,
    'Metrics, health and public keys. Never expose it to the internet. Every process has one. See also `MANAGEMENT_TOKEN`.',
  ),
  portal: listener('PORTAL', 8081, 'The developer portal.', 'localhost'),
  backend: listener('BACKEND', 8082, 'The sandbox bank. Never expose it to the internet.'),
  sca: listener('SCA', 8083, "The bank's pages where its customers approve."),
}

const addresses = {
  backendUrl: row('BACKEND_URL', {
    fallback: 'the bank in this process',
    meaning:
      "Where the gateway forwards calls, unless `BACKEND_URLS` names another backend for their API. Replaces what documents name. A path takes the place of the version's prefix; without one, the path of the document's own server does.",
    read: (reader) => reader.url('BACKEND_URL', 'http://10.0.0.7:8082'),
  }),
  backendUrls: row('BACKEND_URLS', {
    fallback: 'every API at `BACKEND_URL`',
    meaning:
      'Backends of single APIs, separated by commas: `mandate=http://10.0.0.8:8082`. The name is that of the folder in `CONFIG_DIR/apis`; paths are as in `BACKEND_URL`. Each of these APIs has connections and places of its own, so a slow backend holds up no other API.',
    read: (reader) => reader.backends('BACKEND_URLS'),
  }),
  upstreamTls: row(['UPSTREAM_TLS_CA_FILE', 'UPSTREAM_TLS_CERT_FILE', 'UPSTREAM_TLS_KEY_FILE'], {
    fallback: 'public authorities, no client certificate',
    meaning:
      'PEM files for backends at `https://`: the only authorities that the gateway trusts there, and the certificate and key with which it identifies itself. Tollgate reads them again when they change.',
    read: (reader): UpstreamFiles | undefined => {
      const caFile = reader.path('UPSTREAM_TLS_CA_FILE')
      const pair = reader.certificate('UPSTREAM')
      return caFile === undefined && pair === undefined ? undefined : { caFile, pair }
    },
  }),
  backendEchoesRequestId: row('BACKEND_ECHOES_REQUEST_ID', {
    fallback: '`true` for the bank in this process, `false` for every other backend',
    meaning:
      'Whether every backend answers with the `X-Request-ID` of the request. If `true`, an answer with another id belongs to another call, and the client gets 502.',
    read: (reader) => reader.boolean('BACKEND_ECHOES_REQUEST_ID', undefined),
  }),
  gatewayPublicUrl: origin(
    'GATEWAY_PUBLIC_URL',
    "the listener's address",
    'https://api.bank.example',
    'The gateway as callers reach it. Required for a portal in its own process. Backends get its host as `X-Forwarded-Host`; without the setting, they get what the caller wrote as `Host`.',
  ),
  gatewayUrl: origin(
    'GATEWAY_URL',
    '`GATEWAY_PUBLIC_URL`',
    'http://10.0.0.5:8080',
    'Where a portal in its own process checks that the gateway answers.',
  ),
  portalPublicUrl: origin(
    'PORTAL_PUBLIC_URL',
    "the listener's address",
    'https://developer.bank.example',
    'The portal as developers reach it: the origin of its cookies, of the links in emails and of the help links in errors. A public address also closes `/mailbox`.',
  ),
  securityContact: row('SECURITY_CONTACT', {
    fallback: 'no `security.txt`',
    meaning:
      'Where to report a vulnerability: a URL that begins with `mailto:`, `https://` or `tel:`. The portal publishes it at `/.well-known/security.txt` (RFC 9116), which answers 404 without this setting.',
    read: (reader) => reader.contact('SECURITY_CONTACT', 'mailto:security@bank.example'),
  }),
  securityPolicy: row('SECURITY_POLICY', {
    fallback: 'not published',
    meaning:
      'The `https://` page with your rules for reports, for `security.txt`. Needs `SECURITY_CONTACT`.',
    read: (reader) => reader.page('SECURITY_POLICY', 'https://bank.example/security'),
  }),
  scaPublicUrl: origin(
    'SCA_PUBLIC_URL',
    "the listener's address",
    'https://sca.bank.example',
    "The bank's approval pages as customers reach them.",
  ),
  identityJwksUrls: row('IDENTITY_JWKS_URL', {
    fallback: 'the keys of this process',
    meaning:
      "Where a bank in its own process fetches the gateways' public keys: one address, or several separated by commas, best one for each gateway. The bank accepts the keys of all, and keeps those of an address that does not answer for 12 hours.",
    read: (reader) =>
      reader.urls('IDENTITY_JWKS_URL', 'http://10.0.0.5:9090/.well-known/jwks.json'),
  }),
  identityAudience: row('IDENTITY_AUDIENCE', {
    fallback: '`tollgate-backend`',
    meaning: 'Audience of the signed identity. Gateway and bank need the same value.',
    read: (reader) => reader.text('IDENTITY_AUDIENCE', 'tollgate-backend'),
  }),
  trustedProxies: row('TRUSTED_PROXIES', {
    fallback: 'empty',
    meaning:
      'Addresses or CIDRs of your proxies, separated by commas. Tollgate believes the `X-Forwarded-For` of these.',
    read: (reader) => reader.networks('TRUSTED_PROXIES'),
  }),
  requireTls: row('REQUIRE_TLS', {
    fallback: '`false`',
    meaning:
      'Refuse to start with a connection to or from another machine that has no TLS, including proxies, PostgreSQL, Redis and Prometheus. Without the setting, a start only warns of most of these connections.',
    read: (reader) => reader.boolean('REQUIRE_TLS', false),
  }),
  forwardHeaders: row('FORWARD_HEADERS', {
    fallback: 'empty',
    meaning:
      'Names of further request header fields for the backend, separated by commas, for documents that forward only declared fields ([`forwardHeaders`](your-api.md#header-fields)), and for fields that otherwise only an edge may set.',
    read: (reader) => reader.fieldNames('FORWARD_HEADERS'),
  }),
}

const backendCalls = {
  backendConnectMs: integer(
    'BACKEND_CONNECT_MS',
    2_000,
    [50, 300_000],
    'Milliseconds in which a connection to a backend must open, TLS included. Otherwise the call gets 502.',
  ),
  backendFirstByteMs: integer(
    'BACKEND_FIRST_BYTE_MS',
    10_000,
    [50, 300_000],
    'Milliseconds after which a backend that has taken a call and answered nothing has failed it: 504.',
  ),
  backendIdleMs: integer(
    'BACKEND_IDLE_MS',
    10_000,
    [50, 300_000],
    'Milliseconds of silence in the middle of an answer after which the backend has failed the call.',
  ),
  backendCallMs: integer(
    'BACKEND_CALL_MS',
    25_000,
    [50, 300_000],
    'Milliseconds that a call may take at the backend in all, with its wait for a connection. No other time above may be longer. A stop takes as long, so proxies and service managers must wait longer ([restarts](production.md#restarts-behind-a-load-balancer)).',
  ),
  backendKeepIdleMs: integer(
    'BACKEND_KEEP_IDLE_MS',
    4_000,
    [0, 30_000],
    'Milliseconds for which a connection to a backend may rest before its next call, unless the backend announces a time (`Keep-Alive: timeout=…`). Must be shorter than the time after which the backend closes it. 0: a new connection for each call.',
  ),
  backendConnectionsMax: integer(
    'BACKEND_CONNECTIONS_MAX',
    256,
    [1, 65_535],
    'Connections of one process to each backend: calls that it has at the same time.',
  ),
  backendQueueMax: integer(
    'BACKEND_QUEUE_MAX',
    512,
    [0, 65_535],
    'Calls of one process that may wait for a connection to each backend. Further calls get 503 and use no quota. One operation may have half of the connections and of the queue, two a third each.',
  ),
  bodyBytesMax: integer(
    'BODY_BYTES_MAX',
    1_048_576,
    [1_024, 67_108_864],
    'The longest request body in bytes, also at the sandbox bank. Longer ones get 413. `UPLOAD_BUFFER_MAX` must be 16 times as much.',
  ),
}

const stores = {
  databaseUrl: row(['DATABASE_URL', 'DATABASE_URL_FILE'], {
    fallback: 'embedded database',
    meaning:
      'PostgreSQL 15 or newer, `postgres://…`. `?sslmode=verify-full` turns TLS on; `sslrootcert`, `sslcert` and `sslkey` name PEM files. It may name [several servers](stores.md#several-postgresql-servers), separated by commas: Tollgate uses the primary.',
    read: (reader) =>
      reader.database(
        'DATABASE_URL',
        'postgres://user:password@host:5432/tollgate?sslmode=verify-full',
      ),
  }),
  databaseConnectionsMax: row('DATABASE_CONNECTIONS_MAX', {
    fallback: '4 for a gateway alone, else 10',
    meaning: 'Connections of one process to PostgreSQL. The embedded database has its own.',
    read: (reader) => reader.integer('DATABASE_CONNECTIONS_MAX', undefined, 2, 1_000),
  }),
  migrateOnStart: row('MIGRATE_ON_START', {
    fallback: '`on`',
    meaning:
      '`on`: the first process that starts with a new release brings the tables up to date while the others wait. `off`: a process on older tables does not start; run [`tollgate migrate`](upgrade.md) first.',
    read: (reader) => reader.oneOf('MIGRATE_ON_START', ['on', 'off'], 'on') === 'on',
  }),
  redis: row(['REDIS_URL', 'REDIS_URL_FILE'], {
    fallback: 'counters in the process',
    meaning:
      'Redis 6.2 or newer: `redis://host`, `redis+sentinel://host,host,host/name` or `redis+cluster://host,host,host`; `rediss` instead of `redis` for TLS.',
    read: (reader) => reader.redis('REDIS_URL'),
  }),
  redisEvictionAllowed: row('REDIS_EVICTION_ALLOWED', {
    fallback: '`false`',
    meaning: 'Use Redis even if it may evict counters. An evicted counter is free quota.',
    read: (reader) => reader.boolean('REDIS_EVICTION_ALLOWED', false),
  }),
  redisDeadlineMs: row('REDIS_DEADLINE_MS', {
    fallback: '250',
    meaning:
      "Milliseconds that a call waits for Redis before the plan's `onStoreOutage` decides. If Redis is silent for that time, the outage begins.",
    read: (reader) => reader.integer('REDIS_DEADLINE_MS', 250, 10, 10_000),
  }),
  dataDir: row('DATA_DIR', {
    fallback: '`data`',
    meaning:
      'Folder for the database, counters, secrets and emails of an embedded process. The process locks it.',
    read: (reader) => resolve(reader.text('DATA_DIR', 'data')),
  }),
  configDir: row('CONFIG_DIR', {
    fallback: '`config`',
    meaning:
      'API documents and plans. If there is no folder `config` and no `DATABASE_URL`: the samples that come with Tollgate.',
    read: (reader, { isEmbedded }) => resolve(reader.text('CONFIG_DIR', defaultConfig(isEmbedded))),
  }),
  configWatch: row('CONFIG_WATCH', {
    fallback: '`off`',
    meaning:
      '`on` or `off`. With `on`, changed files of `CONFIG_DIR` apply by themselves once they have not changed for two seconds, even when Kubernetes swaps a mounted ConfigMap. Invalid files change nothing. With `off`, they apply on SIGHUP and `tollgate reload`, which asks before it removes what is in use.',
    read: (reader) => reader.oneOf('CONFIG_WATCH', ['on', 'off'], 'off'),
  }),
}

const secrets = {
  managementToken: secretList(
    'MANAGEMENT_TOKEN',
    'no token',
    'Token that `/metrics` and `/readyz?verbose` require as `Authorization: Bearer …`, 32 characters or more. To [replace it](rotation.md), give several separated by commas: each is accepted.',
  ),
  keyPepper: secret(
    'KEY_PEPPER',
    'generated in `DATA_DIR`',
    32,
    'Secret that protects the stored API keys, 32 characters or more. To [replace it](rotation.md#pepper), give several with their versions, `2:…,1:…`. Required with `DATABASE_URL`.',
  ),
  identityPrivateKey: secret(
    'IDENTITY_PRIVATE_KEY',
    'generated in `DATA_DIR`',
    1,
    "Ed25519 key (PKCS #8 PEM) that signs the caller's identity for the bank. To [replace it](rotation.md#identity-key), give several keys one after the other: the first signs, all are published. Required with `DATABASE_URL`.",
  ),
  sessionSecret: secretList(
    'SESSION_SECRET',
    'generated in `DATA_DIR`',
    "Secret that protects the portal's sessions and queued emails, 32 characters or more. All portal processes need the same one. To [replace it](rotation.md#session-secret), give several separated by commas: the first is used, all are accepted. Required for a portal with `DATABASE_URL`.",
  ),
}

const openIdConnect = {
  oidcIssuer: row('OIDC_ISSUER', {
    fallback: 'no sign-in by OpenID Connect',
    meaning:
      'Issuer of your OpenID Connect provider, as its discovery document spells it. People then also sign in to the portal through it ([setting it up](accounts.md#openid-connect)). Must be https, unless it is loopback. Needs `OIDC_CLIENT_ID` and `OIDC_CLIENT_SECRET`.',
    read: (reader) => reader.issuer('OIDC_ISSUER', 'https://login.bank.example'),
  }),
  oidcClientId: row('OIDC_CLIENT_ID', {
    fallback: 'none',
    meaning: 'Client id of the portal at the provider.',
    read: (reader) => reader.text('OIDC_CLIENT_ID', ''),
  }),
  oidcClientSecret: secret(
    'OIDC_CLIENT_SECRET',
    'none',
    1,
    'Client secret of the portal at the provider.',
  ),
  oidcOperatorGroup: row('OIDC_OPERATOR_GROUP', {
    fallback: 'roles come only from `tollgate operator`',
    meaning:
      'Members of this group become operators when they sign in through the provider. People who sign in through it without the group stop being operators.',
    read: (reader) => reader.text('OIDC_OPERATOR_GROUP', ''),
  }),
  oidcGroupsClaim: row('OIDC_GROUPS_CLAIM', {
    fallback: '`groups`',
    meaning: 'Claim with the names of the groups: a list of texts.',
    read: (reader) => reader.text('OIDC_GROUPS_CLAIM', 'groups'),
  }),
  oidcLabel: row('OIDC_LABEL', {
    fallback: '`single sign-on`',
    meaning: 'Name of the provider on the button "Sign in with …", at most 40 characters.',
    read: (reader) => reader.label('OIDC_LABEL', 'single sign-on', 40),
  }),
  oidcAcrValues: row('OIDC_ACR_VALUES', {
    fallback: 'any',
    meaning:
      'Authentication classes that the portal asks the provider for, separated by spaces. It refuses a sign-in with any other `acr`.',
    read: (reader) => reader.words('OIDC_ACR_VALUES'),
  }),
}

const clientCertificates = {
  gatewayClientCertificates: row('GATEWAY_CLIENT_CERTIFICATES', {
    fallback: '`off`',
    meaning:
      'Client certificates (QWAC) of applications. `optional` judges a certificate that comes with a call and asks for one if the application has added one. `required` refuses every call without one. Needs `CLIENT_CERTIFICATE_CA_FILE`, except with a sandbox (`SANDBOX=on`, or unset and no `BACKEND_URL`).',
    read: (reader) =>
      reader.oneOf('GATEWAY_CLIENT_CERTIFICATES', ['off', 'optional', 'required'], 'off'),
  }),
  clientCertificateCaFile: row('CLIENT_CERTIFICATE_CA_FILE', {
    fallback: 'no authority',
    meaning:
      'PEM file of the authorities that issue client certificates, for TLS and for signing. Each is trusted as it is, also one below a root. Tollgate reads the file again when it changes.',
    read: (reader) => reader.path('CLIENT_CERTIFICATE_CA_FILE'),
  }),
  clientCertificateCrlFile: row('CLIENT_CERTIFICATE_CRL_FILE', {
    fallback: 'no check for revocation',
    meaning:
      'Revocation lists of these authorities: PEM, or one list in DER. Calls get 503 if the list of an authority is missing or past its `nextUpdate`. Tollgate reads the file again when it changes.',
    read: (reader) => reader.path('CLIENT_CERTIFICATE_CRL_FILE'),
  }),
  clientCertificateProxies: row('CLIENT_CERTIFICATE_PROXIES', {
    fallback: '`TRUSTED_PROXIES`; with `GATEWAY_TLS_CERT_FILE` none',
    meaning:
      'Addresses or CIDRs of proxies that end TLS and pass the certificate of the client on in `Client-Cert`, separated by commas. If the gateway also serves TLS, name only proxies that encrypt again. A balancer that passes TLS through would let clients write `Client-Cert` themselves.',
    read: (reader) => {
      const named = reader.networks('CLIENT_CERTIFICATE_PROXIES')
      // By its address, a balancer that passes TLS through looks like a proxy that encrypts again.
      const isAmbiguous = reader.certificate('GATEWAY') !== undefined
      return named.length > 0 || isAmbiguous ? named : reader.networks('TRUSTED_PROXIES')
    },
  }),
}

const capacity = {
  gatewayProcesses: row('GATEWAY_PROCESSES', {
    fallback: '4 with `REDIS_URL`, otherwise 1',
    meaning:
      'The highest number of gateway processes that will ever run, on all machines together. More than 1 needs `REDIS_URL`.',
    // Too high a number costs some calls in an outage; too low a number lets each process admit too many.
    read: (reader, given) => reader.integer('GATEWAY_PROCESSES', given.isShared ? 4 : 1, 1, 10_000),
  }),
  gatewayReusePort: row('GATEWAY_REUSE_PORT', {
    fallback: '`off`',
    meaning:
      '`on` lets several gateway processes of one machine share `GATEWAY_PORT`, where no balancer stands before them (Linux, with `REDIS_URL`). See [several processes on one machine](production.md#several-processes-on-one-machine).',
    read: (reader) => reader.oneOf('GATEWAY_REUSE_PORT', ['on', 'off'], 'off') === 'on',
  }),
  connectionsPerAddress: integer(
    'CONNECTIONS_PER_ADDRESS',
    2000,
    [1, 1_000_000],
    'Open connections of one client address. Each listener counts separately; that of the sandbox bank counts only the total.',
  ),
  connectionsMax: integer(
    'CONNECTIONS_MAX',
    10_000,
    [1, 1_000_000],
    'Open connections of all clients. Each listener counts separately.',
  ),
  callsPerApplication: integer(
    'CALLS_PER_APPLICATION',
    64,
    [0, 1_000_000],
    'Calls of one application in progress at a time in one process. Further calls get 429 and use no quota. 0 means no limit.',
  ),
  callsPerDeveloper: integer(
    'CALLS_PER_DEVELOPER',
    128,
    [0, 1_000_000],
    'The same for all applications of one developer together. 0 means no limit.',
  ),
  callsPerAddress: integer(
    'CALLS_PER_ADDRESS',
    0,
    [0, 1_000_000],
    'The same for one client address. 0 means no limit, because callers may share a proxy.',
  ),
  uploadBufferMax: integer(
    'UPLOAD_BUFFER_MAX',
    67_108_864,
    [16_777_216, 9_999_999_999],
    'Bytes for request bodies in one process. One developer may use a quarter of what other developers leave, and one application half of that. Further bodies get 429 or 503 and are not counted.',
  ),
  uploadBytesPerSecondMin: integer(
    'UPLOAD_BYTES_PER_SECOND_MIN',
    1024,
    [0, 1_048_576],
    'The minimum speed of an upload. An upload that falls ten seconds behind gets 408 and uses no quota. 0 means no minimum.',
  ),
  authFailuresPerMinute: integer(
    'AUTH_FAILURES_PER_MINUTE',
    60,
    [1, 1_000_000],
    'Failed authentications per minute of one network: an IPv4 address or an IPv6 /64. Unknown clients together have ten times as many. Further failures get 429. A valid key always works.',
  ),
  keysPerApplication: integer(
    'KEYS_PER_APPLICATION',
    10,
    [1, 1000],
    'Active API keys of one application.',
  ),
  keyMaxDays: integer(
    'KEY_MAX_DAYS',
    0,
    [0, 3650],
    'The longest life of an API key in days. Keys without an expiry get this one. Keys that would live longer expire this many days after the first start with the setting. 0 means no maximum.',
  ),
  secondFactor: row('SECOND_FACTOR', {
    fallback: '`operators`',
    meaning:
      'Who needs a second factor on the portal: `operators`, or `everyone`. With `everyone`, a developer without one can only add one and sign out.',
    read: (reader) => reader.oneOf('SECOND_FACTOR', ['operators', 'everyone'], 'operators'),
  }),
  changesPerMinute: integer(
    'CHANGES_PER_MINUTE',
    60,
    [1, 1_000_000],
    'Changes of one signed-in developer on the portal per minute. Further changes get 429.',
  ),
  keysPerHour: integer(
    'KEYS_PER_HOUR',
    20,
    [1, 1_000_000],
    'API keys that one developer creates or rotates on the portal per hour. Further ones get 429.',
  ),
  applicationsPerDeveloper: integer(
    'APPLICATIONS_PER_DEVELOPER',
    10,
    [1, 1000],
    'Applications of one developer.',
  ),
  drainSeconds: row('DRAIN_SECONDS', {
    fallback: '0 embedded, 5 with `DATABASE_URL`',
    meaning: 'How long a process keeps serving after SIGTERM while `/readyz` answers "not ready".',
    // An embedded installation has no load balancer to wait for: Ctrl-C stops it at once.
    read: (reader, { isEmbedded }) => reader.integer('DRAIN_SECONDS', isEmbedded ? 0 : 5, 0, 300),
  }),
}

const mail = {
  smtpUrl: row(['SMTP_URL', 'SMTP_URL_FILE'], {
    fallback: 'emails are files in `DATA_DIR/outbox`',
    meaning:
      'Mail server of the portal, `smtps://user:password@host:465`, or `smtp://host:587` for STARTTLS, which is required unless the host is loopback. It also closes `/mailbox`.',
    read: (reader) => reader.mailServer('SMTP_URL', 'smtps://user:password@host:465'),
  }),
  mailFrom: row('MAIL_FROM', {
    fallback: '`no-reply@` the host of `PORTAL_PUBLIC_URL`',
    meaning:
      "Sender of the portal's emails, for example `Bank Developers <developers@bank.example>`.",
    read: (reader) => reader.mailbox('MAIL_FROM', 'Bank Developers <developers@bank.example>'),
  }),
}

const webhooks = {
  webhookNetworks: row('WEBHOOK_NETWORKS', {
    fallback:
      '`127.0.0.0/8, ::1` with an embedded database and a portal that only this machine reaches (`PORTAL_HOST` and `PORTAL_PUBLIC_URL` on loopback, no `TRUSTED_PROXIES`), otherwise empty',
    meaning:
      'Addresses or CIDRs that are not of the public internet and that webhooks may reach nevertheless, separated by commas. Developers choose the addresses of webhooks, so name no network with services that trust their callers. Only loopback may be reached without TLS.',
    read: (reader, given) => {
      const named = reader.networks('WEBHOOK_NETWORKS')
      if (named.length > 0 || !given.isEmbedded) return named
      const publicUrl = addresses.portalPublicUrl.read(reader, given)
      const isReachedHereAlone =
        isLoopback(listeners.portal.read(reader, given).host) &&
        (publicUrl === undefined || isLoopback(new URL(publicUrl).hostname)) &&
        addresses.trustedProxies.read(reader, given).length === 0
      return isReachedHereAlone ? ['127.0.0.0/8', '::1'] : []
    },
  }),
}

const records = {
  logLevel: row('LOG_LEVEL', {
    fallback: '`info`',
    meaning: 'One of `fatal`, `error`, `warn`, `info`, `debug`, `trace`, `silent`.',
    read: (reader) => reader.oneOf('LOG_LEVEL', logLevels, 'info'),
  }),
  accessLog: row('ACCESS_LOG', {
    fallback: '`all`; with `LOG_LEVEL` above `info`, `off`',
    meaning:
      'Which calls write a line to the log, whatever `LOG_LEVEL` says: `all`, `errors` (4xx, 5xx and calls without an answer), `sample:0.01` (this share of the calls, and each 5xx) or `off`.',
    read: (reader): AccessLog => {
      const level = reader.oneOf('LOG_LEVEL', logLevels, 'info')
      const isVerbose = logLevels.indexOf(level) >= logLevels.indexOf('info') && level !== 'silent'
      return reader.accessLog('ACCESS_LOG', { mode: isVerbose ? 'all' : 'off' })
    },
  }),
  logFormat: row('LOG_FORMAT', {
    fallback: '`pretty` on a terminal, otherwise `json`',
    meaning: '`pretty` writes log lines for people, `json` one JSON object a line.',
    read: (reader) => reader.oneOf('LOG_FORMAT', logFormats, isatty(2) ? 'pretty' : 'json'),
  }),
  otelEndpoint: row('OTEL_EXPORTER_OTLP_ENDPOINT', {
    fallback: 'no spans',
    meaning:
      'Address of an OpenTelemetry collector that takes OTLP over HTTP (JSON): a gateway sends the spans of sampled calls to `/v1/traces` below it ([traces](monitoring.md#traces)).',
    read: (reader) => reader.url('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector.internal:4318'),
  }),
  otelHeaders: row(['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS_FILE'], {
    fallback: 'none',
    meaning: 'Header fields for the collector, `name=value` separated by commas, percent-encoded.',
    isSecret: true,
    read: (reader) => reader.encodedFields('OTEL_EXPORTER_OTLP_HEADERS'),
  }),
  otelServiceName: row('OTEL_SERVICE_NAME', {
    fallback: '`tollgate`',
    meaning: 'Name of the gateway in its spans.',
    read: (reader) => reader.label('OTEL_SERVICE_NAME', 'tollgate', 100),
  }),
  otelTracesSamplerArg: row('OTEL_TRACES_SAMPLER_ARG', {
    fallback: '0.01',
    meaning:
      'Share of the calls, from 0 to 1, of which spans are sent, whatever `traceparent` they come with.',
    read: (reader) => reader.share('OTEL_TRACES_SAMPLER_ARG', 0.01),
  }),
  traceFollowsCaller: row('TRACE_FOLLOW_CALLER', {
    fallback: '`off`',
    meaning:
      '`on`: calls whose `traceparent` is sampled are sampled, too. For gateways that only your own systems reach, or behind a proxy that sets `traceparent` itself: any caller can ask for the spans of all its calls.',
    read: (reader) => reader.oneOf('TRACE_FOLLOW_CALLER', ['on', 'off'], 'off') === 'on',
  }),
  recordAddresses: row('RECORD_ADDRESSES', {
    fallback: '`truncated`',
    meaning:
      'How much of client addresses Tollgate writes to the log, security events and the audit log: `full`, `truncated` (the /24 network of an IPv4 address, the /48 network of an IPv6 address) or `off`.',
    read: (reader) => reader.oneOf('RECORD_ADDRESSES', addressModes, 'truncated'),
  }),
  metricsApplications: integer(
    'METRICS_APPLICATIONS',
    100,
    [0, 1000],
    "How many applications the portal's metrics name: those with the most calls. 0 names none.",
  ),
  securityEventDays: integer(
    'SECURITY_EVENT_DAYS',
    90,
    [1, 3650],
    'Days until Tollgate deletes security events, and addresses and browsers from the audit log. After a change, run `tollgate migrate --grant`.',
  ),
  recordCalls: row('RECORD_CALLS', {
    fallback: '`true`',
    meaning: 'Write the usage history and call records that developers see in the portal.',
    read: (reader) => reader.boolean('RECORD_CALLS', true),
  }),
}

const sandbox = {
  sandbox: row('SANDBOX', {
    fallback: '`on` where this process runs the bank and `BACKEND_URL` is not set, otherwise `off`',
    meaning:
      "`on` or `off`. Switches the portal's page `/sandbox`, ready consents, the people on the bank's sign-in page, [drills](sandbox.md#drills), and `tollgate sandbox`. A gateway in its own process needs it for drills. With `BACKEND_URL`, `on` says that this backend is the sandbox bank: drills reach it, and no limit counts them. APIs of `BACKEND_URLS` have no drills; a portal in its own process needs the same value to offer none.",
    // Undefined: `sandbox.ts` decides by the roles of the process.
    read: (reader) => reader.oneOf('SANDBOX', ['on', 'off'], undefined),
  }),
  sandboxSecret: secretList(
    'SANDBOX_SECRET',
    'generated for this process',
    'Secret of a portal in its own process, with which it asks the bank for people and consents, 32 characters or more. Both need the same value. To [replace it](rotation.md), give several separated by commas: the first is used, all are accepted. The portal also needs `SANDBOX=on` and `BACKEND_URL`.',
  ),
  bankTimeZone: row('BANK_TIME_ZONE', {
    fallback: '`Asia/Jerusalem`',
    meaning: "IANA time zone of the bank's calendar days.",
    read: (reader) => reader.timeZone('BANK_TIME_ZONE', 'Asia/Jerusalem'),
  }),
}

/**
 * Every setting, in the groups of docs/settings.md. A new setting is a row in a
 * group. `npm run docs` writes the page, and a test compares the two.
 */
export const settingGroups: readonly {
  title: string
  rows: Readonly<Record<string, SettingRow<unknown>>>
}[] = [
  { title: 'Listeners', rows: listeners },
  { title: 'Addresses', rows: addresses },
  { title: 'Calls to backends', rows: backendCalls },
  { title: 'Stores and files', rows: stores },
  { title: 'Secrets', rows: secrets },
  { title: 'OpenID Connect', rows: openIdConnect },
  { title: 'Client certificates', rows: clientCertificates },
  { title: 'Limits and capacity', rows: capacity },
  { title: 'Email', rows: mail },
  { title: 'Webhooks', rows: webhooks },
  { title: 'Logs and records', rows: records },
  { title: 'Sandbox bank', rows: sandbox },
]

type Rows = typeof listeners &
  typeof addresses &
  typeof backendCalls &
  typeof stores &
  typeof secrets &
  typeof openIdConnect &
  typeof clientCertificates &
  typeof capacity &
  typeof mail &
  typeof webhooks &
  typeof records &
  typeof sandbox

/**
 * The settings of a process, read once at startup. URLs have no trailing slash,
 * folders are absolute; undefined means that the default of the row applies.
 */
export type Settings = {
  readonly [Name in keyof Rows]: Rows[Name] extends SettingRow<infer Value> ? Value : never
} & {
  /** The file of each secret that NAME_FILE gives, by NAME. */
  readonly secretFiles: Readonly<Record<string, string>>
  /** Names of OpenTelemetry's variables that are set and have no effect. */
  readonly otelUnread: readonly string[]
}

/**
 * Reads and checks the environment. Only `settingGroups` contains the names of
 * the variables.
 *
 * @throws {SettingsError} with every problem found: name, value (never a
 * secret's), what is permitted, an example
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const reader = createSettingsReader(env)
  const isSet = (...names: string[]): boolean => names.some((name) => (env[name] ?? '') !== '')
  const given: Given = {
    isEmbedded: !isSet('DATABASE_URL', 'DATABASE_URL_FILE'),
    isShared: isSet('REDIS_URL', 'REDIS_URL_FILE'),
  }
  const entries = settingGroups.flatMap(({ rows }) => Object.entries(rows))
  const values = entries.map(([name, { read }]) => [name, read(reader, given)] as const)
  reader.refuseUnverifiedTls()
  reader.finish()
  // The type derives each value from the row with its name.
  const secretFiles = reader.secretFiles()
  const otelUnread = reader.unreadOtel()
  return Object.freeze({ ...Object.fromEntries(values), secretFiles, otelUnread } as Settings)
}
