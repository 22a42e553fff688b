import { resolve } from 'node:path'
import { isatty } from 'node:tty'
import { logFormats, logLevels } from './log.ts'
import { createSettingsReader, type SettingsReader } from './settings-reader.ts'

/**
 * The roles a process can run. This folder has what all roles share: settings,
 * log, error table, database and Redis connections, listeners, the data folder
 * and orderly shutdown.
 */
export const roles = ['gateway', 'portal', 'backend'] as const
export type Role = (typeof roles)[number]

/** Facts about other settings, for defaults that depend on them. */
interface Given {
  /** No DATABASE_URL: the database is embedded. */
  readonly isEmbedded: boolean
  /** REDIS_URL is set: counters are shared between processes. */
  readonly isShared: boolean
  /** No BACKEND_URL: the gateway forwards to the bank in this process. */
  readonly isOwnBackend: boolean
}

/** One setting: its description for people (Markdown), and how to read it. */
export interface SettingRow<Value> {
  /** Environment variables, in the order of their defaults. */
  readonly names: readonly string[]
  /** The default, in words. */
  readonly fallback: string
  readonly meaning: string
  readonly read: (reader: SettingsReader, given: Given) => Value
}

function row<Value>(value: SettingRow<Value>): SettingRow<Value> {
  return value
}

function listener(prefix: string, port: number, meaning: string) {
  return row({
    names: [`${prefix}_HOST`, `${prefix}_PORT`],
    fallback: `127.0.0.1, ${port}`,
    meaning,
    read: (reader) => reader.address(prefix, port),
  })
}

function origin(name: string, fallback: string, example: string, meaning: string) {
  return row({
    names: [name],
    fallback,
    meaning,
    read: (reader) => reader.origin(name, example),
  })
}

function integer(name: string, fallback: number, [min, max]: [number, number], meaning: string) {
  return row({
    names: [name],
    fallback: fallback.toLocaleString('en'),
    meaning,
    read: (reader) => reader.integer(name, fallback, min, max),
  })
}

function secret(name: string, fallback: string, lengthMin: number, meaning: string) {
  return row({
    names: [name, `${name}_FILE`],
    fallback,
    meaning,
    read: (reader) => reader.secret(name, lengthMin),
  })
}

const gatewayWorkers = integer(
  'GATEWAY_WORKERS',
  1,
  [1, 256],
  'Processes on this machine that serve calls behind one port. More than 1 needs `REDIS_URL`.',
)

const listeners = {
  gateway: listener(
    'GATEWAY',
    8080,
    'The published operations. Port 0 selects any free port, here and below.',
  ),
  management: listener(
    'MANAGEMENT',
    9090,
    'Metrics, health and public keys. Never expose it to the internet. Every process has one.',
  ),
  portal: listener('PORTAL', 8081, 'The developer portal.'),
  backend: listener('BACKEND', 8082, 'The sandbox bank. Never expose it to the internet.'),
  sca: listener('SCA', 8083, "The bank's pages where its customers approve."),
}

const addresses = {
  backendUrl: origin(
    'BACKEND_URL',
    'the bank in this process',
    'http://10.0.0.7:8082',
    'Where the gateway forwards calls.',
  ),
  backendEchoesRequestId: row({
    names: ['BACKEND_ECHOES_REQUEST_ID'],
    fallback: '`true` without `BACKEND_URL`, otherwise `false`',
    meaning:
      'Whether the backend answers with the `X-Request-ID` of the request. If `true`, an answer with another id belongs to another call, and the client gets 502.',
    read: (reader, { isOwnBackend }) => reader.boolean('BACKEND_ECHOES_REQUEST_ID', isOwnBackend),
  }),
  gatewayPublicUrl: origin(
    'GATEWAY_PUBLIC_URL',
    "the listener's address",
    'https://api.bank.example',
    'The gateway as callers reach it. Required for a portal in its own process.',
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
  scaPublicUrl: origin(
    'SCA_PUBLIC_URL',
    "the listener's address",
    'https://sca.bank.example',
    "The bank's approval pages as customers reach them.",
  ),
  identityJwksUrl: row({
    names: ['IDENTITY_JWKS_URL'],
    fallback: 'the keys of this process',
    meaning: "Where a bank in its own process fetches the gateway's public keys.",
    read: (reader) => reader.url('IDENTITY_JWKS_URL', 'http://10.0.0.5:9090/.well-known/jwks.json'),
  }),
  identityAudience: row({
    names: ['IDENTITY_AUDIENCE'],
    fallback: '`tollgate-backend`',
    meaning: 'Audience of the signed identity. Gateway and bank need the same value.',
    read: (reader) => reader.text('IDENTITY_AUDIENCE', 'tollgate-backend'),
  }),
  trustedProxies: row({
    names: ['TRUSTED_PROXIES'],
    fallback: 'empty',
    meaning:
      'Addresses or CIDRs of your proxies, separated by commas. Tollgate believes the `X-Forwarded-For` of these.',
    read: (reader) => reader.networks('TRUSTED_PROXIES'),
  }),
  forwardHeaders: row({
    names: ['FORWARD_HEADERS'],
    fallback: 'empty',
    meaning:
      'Names of further request header fields for the backend, separated by commas. Without this, the gateway forwards the fields of HTTP and tracing and the header parameters of the documents, and drops all others.',
    read: (reader) => reader.fieldNames('FORWARD_HEADERS'),
  }),
}

const stores = {
  databaseUrl: row({
    names: ['DATABASE_URL'],
    fallback: 'embedded database',
    meaning: 'PostgreSQL 15 or newer, `postgres://…`.',
    read: (reader) =>
      reader.secretUrl(
        'DATABASE_URL',
        ['postgres:', 'postgresql:'],
        'postgres://user:password@host:5432/tollgate',
      ),
  }),
  redis: row({
    names: ['REDIS_URL'],
    fallback: 'counters in the process',
    meaning:
      'Redis 6.2 or newer: `redis://host`, `redis+sentinel://host,host,host/name` or `redis+cluster://host,host,host`; `rediss` instead of `redis` for TLS.',
    read: (reader) => reader.redis('REDIS_URL'),
  }),
  redisEvictionAllowed: row({
    names: ['REDIS_EVICTION_ALLOWED'],
    fallback: '`false`',
    meaning: 'Use Redis even if it may evict counters. An evicted counter is free quota.',
    read: (reader) => reader.boolean('REDIS_EVICTION_ALLOWED', false),
  }),
  redisDeadlineMs: row({
    names: ['REDIS_DEADLINE_MS'],
    fallback: '250',
    meaning:
      "Milliseconds that a call waits for Redis before the plan's `onStoreOutage` decides. If Redis is silent for that time, the outage begins.",
    read: (reader) => reader.integer('REDIS_DEADLINE_MS', 250, 10, 10_000),
  }),
  dataDir: row({
    names: ['DATA_DIR'],
    fallback: '`data`',
    meaning:
      'Folder for the database, counters, secrets and emails of an embedded process. The process locks it.',
    read: (reader) => resolve(reader.text('DATA_DIR', 'data')),
  }),
  configDir: row({
    names: ['CONFIG_DIR'],
    fallback: '`config`',
    meaning: 'API documents and plans.',
    read: (reader) => resolve(reader.text('CONFIG_DIR', 'config')),
  }),
}

const secrets = {
  keyPepper: secret(
    'KEY_PEPPER',
    'generated in `DATA_DIR`',
    32,
    'Secret that protects the stored API keys, 32 characters or more. Required with `DATABASE_URL`.',
  ),
  identityPrivateKey: secret(
    'IDENTITY_PRIVATE_KEY',
    'generated in `DATA_DIR`',
    1,
    "Ed25519 key (PKCS #8 PEM) that signs the caller's identity for the bank. Required with `DATABASE_URL`.",
  ),
  sessionSecret: secret(
    'SESSION_SECRET',
    'generated in `DATA_DIR`',
    32,
    "Secret that protects the portal's sessions and queued emails, 32 characters or more. All portal processes need the same one. Required for a portal with `DATABASE_URL`.",
  ),
}

const capacity = {
  gatewayWorkers,
  gatewayProcesses: row({
    names: ['GATEWAY_PROCESSES'],
    fallback: '4 with `REDIS_URL` (or `GATEWAY_WORKERS`, if more), otherwise 1',
    meaning:
      'The highest number of gateway processes that will ever run, with the workers of every machine. More than 1 needs `REDIS_URL`.',
    // Too high a number costs some calls in an outage; too low a number lets each process admit too many.
    read: (reader, given) =>
      reader.integer(
        'GATEWAY_PROCESSES',
        given.isShared ? Math.max(4, gatewayWorkers.read(reader, given)) : 1,
        1,
        10_000,
      ),
  }),
  connectionsPerAddress: integer(
    'CONNECTIONS_PER_ADDRESS',
    2000,
    [1, 1_000_000],
    'Open connections of one client address. Gateway and portal count separately.',
  ),
  connectionsMax: integer(
    'CONNECTIONS_MAX',
    10_000,
    [1, 1_000_000],
    'Open connections of all clients. Gateway and portal count separately.',
  ),
  callsPerApplication: integer(
    'CALLS_PER_APPLICATION',
    64,
    [0, 1_000_000],
    'Calls of one application in progress at a time in one process. Further calls get 429 and use no quota. 0 means no limit.',
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
    'Failed authentications of one client address per minute. Further failures get 429. A valid key always works.',
  ),
  keysPerApplication: integer(
    'KEYS_PER_APPLICATION',
    10,
    [1, 1000],
    'Active API keys of one application.',
  ),
  applicationsPerDeveloper: integer(
    'APPLICATIONS_PER_DEVELOPER',
    10,
    [1, 1000],
    'Applications of one developer.',
  ),
  drainSeconds: row({
    names: ['DRAIN_SECONDS'],
    fallback: '0 embedded, 5 with `DATABASE_URL`',
    meaning: 'How long a process keeps serving after SIGTERM while `/readyz` answers "not ready".',
    // An embedded installation has no load balancer to wait for: Ctrl-C stops it at once.
    read: (reader, { isEmbedded }) => reader.integer('DRAIN_SECONDS', isEmbedded ? 0 : 5, 0, 300),
  }),
}

const mail = {
  smtpUrl: row({
    names: ['SMTP_URL'],
    fallback: 'emails are files in `DATA_DIR/outbox`',
    meaning:
      'Mail server of the portal, `smtps://user:password@host:465` or `smtp://host:587`. It also closes `/mailbox`.',
    read: (reader) => reader.mailServer('SMTP_URL', 'smtps://user:password@host:465'),
  }),
  mailFrom: row({
    names: ['MAIL_FROM'],
    fallback: '`no-reply@` the host of `PORTAL_PUBLIC_URL`',
    meaning:
      "Sender of the portal's emails, for example `Bank Developers <developers@bank.example>`.",
    read: (reader) => reader.mailbox('MAIL_FROM', 'Bank Developers <developers@bank.example>'),
  }),
}

const records = {
  logLevel: row({
    names: ['LOG_LEVEL'],
    fallback: '`info`',
    meaning: 'One of `fatal`, `error`, `warn`, `info`, `debug`, `trace`, `silent`.',
    read: (reader) => reader.oneOf('LOG_LEVEL', logLevels, 'info'),
  }),
  logFormat: row({
    names: ['LOG_FORMAT'],
    fallback: '`pretty` on a terminal, otherwise `json`',
    meaning: '`pretty` writes log lines for people, `json` one JSON object a line.',
    read: (reader) => reader.oneOf('LOG_FORMAT', logFormats, isatty(2) ? 'pretty' : 'json'),
  }),
  recordCalls: row({
    names: ['RECORD_CALLS'],
    fallback: '`true`',
    meaning: 'Write the usage history and call records that developers see in the portal.',
    read: (reader) => reader.boolean('RECORD_CALLS', true),
  }),
}

const sandbox = {
  sandbox: row({
    names: ['SANDBOX'],
    fallback: '`on` where this process runs the bank and `BACKEND_URL` is not set, otherwise `off`',
    meaning:
      "`on` or `off`. Switches the portal's page `/sandbox`, ready consents, the people on the bank's sign-in page, and `tollgate sandbox`.",
    // Undefined: `sandbox.ts` decides by the roles of the process.
    read: (reader) => reader.oneOf('SANDBOX', ['on', 'off'], undefined),
  }),
  sandboxSecret: secret(
    'SANDBOX_SECRET',
    'generated for this process',
    32,
    'Secret of a portal in its own process, with which it asks the bank for people and consents, 32 characters or more. Both need the same value. The portal also needs `SANDBOX=on` and `BACKEND_URL`.',
  ),
  bankTimeZone: row({
    names: ['BANK_TIME_ZONE'],
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
  { title: 'Stores and files', rows: stores },
  { title: 'Secrets', rows: secrets },
  { title: 'Limits and capacity', rows: capacity },
  { title: 'Email', rows: mail },
  { title: 'Logs and records', rows: records },
  { title: 'Sandbox bank', rows: sandbox },
]

type Rows = typeof listeners &
  typeof addresses &
  typeof stores &
  typeof secrets &
  typeof capacity &
  typeof mail &
  typeof records &
  typeof sandbox

/**
 * The settings of a process, read once at startup. URLs have no trailing slash,
 * folders are absolute; undefined means that the default of the row applies.
 */
export type Settings = {
  readonly [Name in keyof Rows]: Rows[Name] extends SettingRow<infer Value> ? Value : never
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
  const given: Given = {
    isEmbedded: (env['DATABASE_URL'] ?? '') === '',
    isShared: (env['REDIS_URL'] ?? '') !== '',
    isOwnBackend: (env['BACKEND_URL'] ?? '') === '',
  }
  const entries = settingGroups.flatMap(({ rows }) => Object.entries(rows))
  const values = entries.map(([name, { read }]) => [name, read(reader, given)] as const)
  reader.finish()
  // The type derives each value from the row with its name.
  return Object.freeze(Object.fromEntries(values) as Settings)
}
