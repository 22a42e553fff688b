import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { logLevels } from './log.ts'
import { parseRedisAddress, type RedisAddress, RedisAddressError } from './redis-address.ts'

/** The parts of the program a process can run. */
export const roles = ['gateway', 'portal', 'backend'] as const
export type Role = (typeof roles)[number]

/** Where a listener binds. Port 0 takes any free port. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Everything a process is told from outside, read once. URLs carry no trailing slash. */
export interface Settings {
  readonly gateway: ListenAddress
  readonly management: ListenAddress
  readonly portal: ListenAddress
  readonly backend: ListenAddress
  readonly sca: ListenAddress
  /** Where the gateway forwards; undefined: the backend of this process. */
  readonly backendUrl: string | undefined
  /** Undefined: the listener's own address. */
  readonly gatewayPublicUrl: string | undefined
  /** Where a portal in its own process reaches the gateway; undefined: as others do. */
  readonly gatewayUrl: string | undefined
  readonly portalPublicUrl: string | undefined
  readonly scaPublicUrl: string | undefined
  /** Undefined: embedded PostgreSQL in the data folder. */
  readonly databaseUrl: string | undefined
  /** Undefined: counters in the process, journalled in the data folder. */
  readonly redis: RedisAddress | undefined
  /** Absolute. */
  readonly dataDir: string
  /** Absolute. */
  readonly configDir: string
  readonly logLevel: (typeof logLevels)[number]
  /** Addresses or CIDRs whose forwarding headers count. */
  readonly trustedProxies: readonly string[]
  readonly connectionsPerAddress: number
  readonly connectionsMax: number
  readonly authFailuresPerMinute: number
  /** Processes of this machine that take calls; with 1 it is the process itself. */
  readonly gatewayWorkers: number
  /** How many gateway processes there will be at most, workers of every machine counted. */
  readonly gatewayProcesses: number
  /** Audience of the identity token, on both sides. */
  readonly identityAudience: string
  /** Where a backend in its own process finds the gateway's public keys. */
  readonly identityJwksUrl: string | undefined
  /** IANA name of the zone whose calendar days the bank counts. */
  readonly bankTimeZone: string
  /** Start although Redis may evict counters (an evicted counter is free quota). */
  readonly redisEvictionAllowed: boolean
  readonly keysPerApplication: number
  readonly applicationsPerDeveloper: number
  /** Whether developers see what became of their calls: usage and call records. */
  readonly recordCalls: boolean
  /** Undefined: every mail becomes a file in the data folder. May hold a password. */
  readonly smtpUrl: string | undefined
  /** Sender of the portal's mails; undefined: `no-reply@` the host of the portal. */
  readonly mailFrom: string | undefined
  /** How long a process that was told to stop serves on, so that balancers can look away. */
  readonly drainSeconds: number
  /** Secrets; undefined where not given (embedded mode generates them). */
  readonly keyPepper: string | undefined
  readonly identityPrivateKey: string | undefined
  readonly sessionSecret: string | undefined
}

/** All problems of the settings at once, each a sentence of its own. */
export class SettingsError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      `${problems.length} invalid setting(s):\n${problems.map((line) => `  ${line}`).join('\n')}`,
    )
    this.name = 'SettingsError'
    this.problems = problems
  }
}

/**
 * Reads and checks the environment. The only place that knows the names of the
 * variables (README lists them).
 *
 * @throws {SettingsError} with every problem found: name, value (never of a secret), what is allowed, an example
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const reader = createReader(env)
  const isEmbedded = (env['DATABASE_URL'] ?? '') === ''
  const isShared = (env['REDIS_URL'] ?? '') !== ''
  const gatewayWorkers = reader.integer('GATEWAY_WORKERS', 1, 1, 256)
  const settings: Settings = {
    gateway: reader.address('GATEWAY', 8080),
    management: reader.address('MANAGEMENT', 9090),
    portal: reader.address('PORTAL', 8081),
    backend: reader.address('BACKEND', 8082),
    sca: reader.address('SCA', 8083),
    backendUrl: reader.origin('BACKEND_URL', 'http://10.0.0.7:8082'),
    gatewayPublicUrl: reader.origin('GATEWAY_PUBLIC_URL', 'https://api.bank.example'),
    gatewayUrl: reader.origin('GATEWAY_URL', 'http://10.0.0.5:8080'),
    portalPublicUrl: reader.origin('PORTAL_PUBLIC_URL', 'https://developer.bank.example'),
    scaPublicUrl: reader.origin('SCA_PUBLIC_URL', 'https://sca.bank.example'),
    databaseUrl: reader.secretUrl(
      'DATABASE_URL',
      ['postgres:', 'postgresql:'],
      'postgres://user:password@host:5432/tollgate',
    ),
    redis: reader.redis('REDIS_URL'),
    dataDir: resolve(reader.text('DATA_DIR', 'data')),
    configDir: resolve(reader.text('CONFIG_DIR', 'config')),
    logLevel: reader.oneOf('LOG_LEVEL', logLevels, 'info'),
    trustedProxies: reader.networks('TRUSTED_PROXIES'),
    connectionsPerAddress: reader.integer('CONNECTIONS_PER_ADDRESS', 2000, 1, 1_000_000),
    connectionsMax: reader.integer('CONNECTIONS_MAX', 10_000, 1, 1_000_000),
    authFailuresPerMinute: reader.integer('AUTH_FAILURES_PER_MINUTE', 60, 1, 1_000_000),
    gatewayWorkers,
    // Too many costs some calls of an outage, too few lets each process admit what is left.
    gatewayProcesses: reader.integer(
      'GATEWAY_PROCESSES',
      isShared ? Math.max(4, gatewayWorkers) : 1,
      1,
      10_000,
    ),
    identityAudience: reader.text('IDENTITY_AUDIENCE', 'tollgate-backend'),
    identityJwksUrl: reader.url('IDENTITY_JWKS_URL', 'http://10.0.0.5:9090/.well-known/jwks.json'),
    bankTimeZone: reader.timeZone('BANK_TIME_ZONE', 'Asia/Jerusalem'),
    redisEvictionAllowed: reader.boolean('REDIS_EVICTION_ALLOWED', false),
    keysPerApplication: reader.integer('KEYS_PER_APPLICATION', 10, 1, 1000),
    applicationsPerDeveloper: reader.integer('APPLICATIONS_PER_DEVELOPER', 10, 1, 1000),
    recordCalls: reader.boolean('RECORD_CALLS', true),
    smtpUrl: reader.mailServer('SMTP_URL', 'smtps://user:password@host:465'),
    mailFrom: reader.mailbox('MAIL_FROM', 'Bank Developers <developers@bank.example>'),
    // Embedded, nobody balances: Ctrl-C ends it at once.
    drainSeconds: reader.integer('DRAIN_SECONDS', isEmbedded ? 0 : 5, 0, 300),
    keyPepper: reader.secret('KEY_PEPPER', 32),
    identityPrivateKey: reader.secret('IDENTITY_PRIVATE_KEY', 1),
    sessionSecret: reader.secret('SESSION_SECRET', 32),
  }
  reader.finish()
  return Object.freeze(settings)
}

/** Reads single variables and collects what is wrong with them. An empty variable counts as absent. */
function createReader(env: Readonly<Record<string, string | undefined>>) {
  const problems: string[] = []

  function read(name: string): string | undefined {
    const value = env[name]
    return value === undefined || value === '' ? undefined : value
  }

  function text(name: string, fallback: string): string {
    return read(name) ?? fallback
  }

  function integer(name: string, fallback: number, min: number, max: number): number {
    const value = read(name)
    if (value === undefined) return fallback
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    problems.push(
      `${name}: "${value}" is not a whole number from ${min} to ${max} (e.g. ${fallback})`,
    )
    return fallback
  }

  function parseUrl(
    name: string,
    protocols: readonly string[],
    shown: string,
    value: string,
    example: string,
  ) {
    const url = URL.parse(value)
    if (url === null || !protocols.includes(url.protocol)) {
      const allowed = protocols.map((protocol) => `${protocol}//`).join(' or ')
      problems.push(`${name}: ${shown} is not a URL beginning with ${allowed} (e.g. ${example})`)
      return undefined
    }
    return url
  }

  function url(
    name: string,
    example: string,
    refused: string,
    isAllowed: (url: URL) => boolean,
  ): URL | undefined {
    const value = read(name)
    if (value === undefined) return undefined
    const parsed = parseUrl(name, ['http:', 'https:'], `"${value}"`, value, example)
    if (parsed === undefined) return undefined
    const { username, password, search, hash } = parsed
    if (username + password + search + hash !== '' || !isAllowed(parsed)) {
      problems.push(`${name}: must have no ${refused} (e.g. ${example})`)
    }
    return parsed
  }

  return {
    text,
    integer,

    address(prefix: string, port: number): ListenAddress {
      return {
        host: text(`${prefix}_HOST`, '127.0.0.1'),
        port: integer(`${prefix}_PORT`, port, 0, 65_535),
      }
    },

    /** Where a listener is: a path would be lost where links and calls are made from it. */
    origin(name: string, example: string): string | undefined {
      // As browsers write it, whose Origin is compared with it.
      return url(name, example, 'user, path, query or fragment', ({ pathname }) => pathname === '/')
        ?.origin
    },

    url(name: string, example: string): string | undefined {
      return url(name, example, 'user, query or fragment', () => true)?.href.replace(/\/+$/, '')
    },

    /** Like a URL, but its value may hold a password and is never repeated. */
    secretUrl(name: string, protocols: readonly string[], example: string): string | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      parseUrl(name, protocols, 'the value (not shown)', value, example)
      return value
    },

    /** Its value may hold a password and is never repeated. */
    redis(name: string): RedisAddress | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      try {
        return parseRedisAddress(value)
      } catch (error) {
        if (!(error instanceof RedisAddressError)) throw error
        problems.push(`${name}: ${error.message}`)
        return undefined
      }
    },

    /** A server with perhaps user and password, and nothing more: options in it would not be heeded. */
    mailServer(name: string, example: string): string | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      const url = parseUrl(name, ['smtp:', 'smtps:'], 'the value (not shown)', value, example)
      if (url === undefined) return value
      const { hostname, pathname, search, hash } = url
      if (hostname === '' || pathname.replace('/', '') + search + hash !== '') {
        problems.push(`${name}: must have a host and no path, query or fragment (e.g. ${example})`)
      }
      try {
        decodeURIComponent(url.username + url.password)
      } catch {
        problems.push(`${name}: a % in user or password is written as %25 (value not shown)`)
      }
      return value
    },

    oneOf<const T extends string>(name: string, allowed: readonly T[], fallback: T): T {
      const value = read(name)
      if (value === undefined) return fallback
      const match = allowed.find((candidate) => candidate === value)
      if (match === undefined) problems.push(`${name}: "${value}" is none of ${allowed.join(', ')}`)
      return match ?? fallback
    },

    boolean(name: string, fallback: boolean): boolean {
      const value = read(name)
      if (value === undefined) return fallback
      if (value !== 'true' && value !== 'false') {
        problems.push(`${name}: "${value}" is neither true nor false`)
      }
      return value === 'true'
    },

    /** `address` or `Name <address>`, on one line. */
    mailbox(name: string, example: string): string | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      if (!/^(?:[^<>@\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(value)) {
        problems.push(`${name}: "${value}" is not a mail address (e.g. ${example})`)
      }
      return value
    },

    networks(name: string): string[] {
      const entries = (read(name) ?? '').split(',').map((entry) => entry.trim())
      return entries.filter((entry) => {
        if (entry === '') return false
        const [address = '', bits, ...rest] = entry.split('/')
        const family = isIP(address)
        const bitsMax = family === 6 ? 128 : 32
        const isNetwork =
          family !== 0 &&
          rest.length === 0 &&
          (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax))
        if (!isNetwork) {
          problems.push(`${name}: "${entry}" is neither an IP address nor a CIDR (e.g. 10.0.0.0/8)`)
        }
        return isNetwork
      })
    },

    timeZone(name: string, fallback: string): string {
      const value = text(name, fallback)
      try {
        new Intl.DateTimeFormat('en', { timeZone: value })
      } catch {
        problems.push(`${name}: "${value}" is not an IANA time zone (e.g. ${fallback})`)
      }
      return value
    },

    /** NAME or the content of the file NAME_FILE; giving both is a contradiction, not a precedence. */
    secret(name: string, lengthMin: number): string | undefined {
      const direct = read(name)
      const path = read(`${name}_FILE`)
      if (direct !== undefined && path !== undefined) {
        problems.push(`${name}: given twice, as ${name} and as ${name}_FILE; keep one`)
        return undefined
      }
      let value = direct
      if (path !== undefined) {
        try {
          value = readFileSync(path, 'utf8').trim()
        } catch (error) {
          problems.push(
            `${name}_FILE: cannot read "${path}": ${(error as NodeJS.ErrnoException).code}`,
          )
          return undefined
        }
      }
      if (value !== undefined && value.length < lengthMin) {
        problems.push(`${name}: is shorter than ${lengthMin} characters (value not shown)`)
      }
      return value
    },

    finish(): void {
      if (problems.length > 0) throw new SettingsError(problems)
    },
  }
}
