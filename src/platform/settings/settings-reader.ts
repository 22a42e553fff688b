import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { databaseTlsProblem } from '../database/database-tls.ts'
import { databaseServersProblem, serverUrls } from '../database/database-urls.ts'
import { type AccessLog, parseAccessLog } from '../http/access-log.ts'
import { isLoopback } from '../http/loopback.ts'
import { isNetwork } from '../http/networks.ts'
import type { CertificateFiles } from '../http/tls.ts'
import { codeOf } from '../log/error-code.ts'
import { parseRedisAddress, type RedisAddress, RedisAddressError } from '../redis/redis-address.ts'
import { secretListProblem } from './secret-list.ts'

/** Where a listener binds. Port 0 selects any free port. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
  /** Undefined: plain HTTP. */
  readonly tls?: CertificateFiles | undefined
}

/** Holds every problem of the settings, one sentence each. */
export class SettingsError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      `${problems.length === 1 ? '1 problem' : `${problems.length} problems`} with the settings:\n${problems.map((line) => `  ${line}`).join('\n')}`,
    )
    this.name = 'SettingsError'
    this.problems = problems
  }
}

/**
 * Whether Kubernetes set the variable: for a service named `gateway`, every
 * container gets `GATEWAY_PORT=tcp://10.0.0.1:8080`.
 */
export function isServiceLink(name: string, value: string | undefined): boolean {
  return name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\/\S+:\d+$/.test(value ?? '')
}

const readOtel =
  /^OTEL_(?:SERVICE_NAME|TRACES_SAMPLER_ARG|EXPORTER_OTLP_(?:ENDPOINT|HEADERS_FILE|(?:TRACES_)?(?:HEADERS|COMPRESSION|CERTIFICATE|CLIENT_CERTIFICATE|CLIENT_KEY)))$/

/** Whether a field of HTTP can carry it. */
function isEncodedField(text: string): boolean {
  const [, value] = /^\s*[!#$%&'*+.^_`|~\w-]+\s*=(.*)$/.exec(text) ?? []
  if (value === undefined) return false
  try {
    return /^[\t\x20-\x7e\x80-\xff]*$/.test(decodeURIComponent(value.trim()))
  } catch {
    return false
  }
}

/** Reads variables one by one and collects their problems. An empty variable counts as absent. */
export function createSettingsReader(env: Readonly<Record<string, string | undefined>>) {
  // A set, because a default may read a setting that also has its own row.
  const problems = new Set<string>()
  const secretFiles: Record<string, string> = {}

  function read(name: string): string | undefined {
    const value = env[name]
    return value === undefined || value === '' || isServiceLink(name, value) ? undefined : value
  }

  function text(name: string, fallback: string): string {
    return read(name) ?? fallback
  }

  function integer<Fallback extends number | undefined>(
    name: string,
    fallback: Fallback,
    min: number,
    max: number,
  ): number | Fallback {
    const value = read(name)
    if (value === undefined) return fallback
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    problems.add(
      `${name}: "${value}" is not a whole number from ${min} to ${max} (e.g. ${fallback ?? min})`,
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
      problems.add(`${name}: ${shown} is not a URL beginning with ${allowed} (e.g. ${example})`)
      return undefined
    }
    return url
  }

  function url(
    name: string,
    example: string,
    refused: string,
    isAllowed: (url: URL) => boolean,
    value = read(name),
  ): URL | undefined {
    if (value === undefined) return undefined
    const parsed = parseUrl(name, ['http:', 'https:'], `"${value}"`, value, example)
    if (parsed === undefined) return undefined
    const { username, password, search, hash } = parsed
    if (username + password + search + hash !== '' || !isAllowed(parsed)) {
      problems.add(`${name}: must have no ${refused} (e.g. ${example})`)
    }
    return parsed
  }

  /** Entries between commas; those that are not valid are left out. */
  function list(name: string, isValid: (entry: string) => boolean, problem: string): string[] {
    const entries = (read(name) ?? '').split(',').map((entry) => entry.trim())
    return entries.filter((entry) => {
      if (entry === '' || isValid(entry)) return entry !== ''
      problems.add(`${name}: "${entry}" ${problem}`)
      return false
    })
  }

  /** Two files that are useful only together. */
  function certificate(prefix: string): CertificateFiles | undefined {
    const certFile = file(`${prefix}_TLS_CERT_FILE`)
    const keyFile = file(`${prefix}_TLS_KEY_FILE`)
    if (certFile === undefined && keyFile === undefined) return undefined
    if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile }
    const [missing, given] = certFile === undefined ? ['CERT', 'KEY'] : ['KEY', 'CERT']
    problems.add(
      `${prefix}_TLS_${missing}_FILE: is required with ${prefix}_TLS_${given}_FILE (e.g. /etc/tollgate/tls.${missing === 'CERT' ? 'crt' : 'key'})`,
    )
    return undefined
  }

  function file(name: string): string | undefined {
    const value = read(name)
    return value === undefined ? undefined : resolve(value)
  }

  /** NAME, or the content of the file NAME_FILE. Both at once are an error, because neither takes precedence. */
  function readSecret(name: string): string | undefined {
    const direct = read(name)
    const path = read(`${name}_FILE`)
    if (direct !== undefined && path !== undefined) {
      problems.add(`${name}: both ${name} and ${name}_FILE are set; keep one`)
      return undefined
    }
    if (path === undefined) return direct
    secretFiles[name] = resolve(path)
    try {
      const value = readFileSync(path, 'utf8').trim()
      if (value === '') problems.add(`${name}_FILE: "${path}" is empty`)
      return value === '' ? undefined : value
    } catch (error) {
      problems.add(`${name}_FILE: cannot read "${path}": ${codeOf(error)}`)
      return undefined
    }
  }

  return {
    text,
    integer,
    certificate,

    address(prefix: string, port: number, host: string): ListenAddress {
      return {
        host: text(`${prefix}_HOST`, host),
        port: integer(`${prefix}_PORT`, port, 0, 65_535),
        tls: certificate(prefix),
      }
    },

    /** The origin of a listener. Rejects a path, because links built from the origin would lose it. */
    origin(name: string, example: string): string | undefined {
      // In the form that browsers send as Origin, because the two are compared.
      return url(name, example, 'user, path, query or fragment', ({ pathname }) => pathname === '/')
        ?.origin
    },

    /** URLs by the name of an API: `name=url`, between commas. */
    backends(name: string): ReadonlyMap<string, string> {
      const example = 'mandate=http://10.0.0.8:8082'
      const urls = new Map<string, string>()
      for (const entry of (read(name) ?? '').split(',').map((text) => text.trim())) {
        if (entry === '') continue
        const [, api = '', value = ''] = /^([^=/]+?)\s*=\s*(.+)$/.exec(entry) ?? []
        const parsed = URL.parse(value)
        const isBase =
          (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') &&
          parsed.username + parsed.password + parsed.search + parsed.hash === ''
        if (!isBase) {
          // Not shown: it may contain a password.
          const which = api === '' ? 'an entry' : `the entry of "${api}"`
          problems.add(
            `${name}: ${which} is not an API and an address beginning with http:// or https://, without user, query and fragment (e.g. ${example})`,
          )
        } else if (urls.has(api)) problems.add(`${name}: names "${api}" twice`)
        else urls.set(api, parsed.href.replace(/\/+$/, ''))
      }
      return urls
    },

    url(name: string, example: string): string | undefined {
      return url(name, example, 'user, query or fragment', () => true)?.href.replace(/\/+$/, '')
    },

    /** Addresses between commas. */
    urls(name: string, example: string): readonly string[] | undefined {
      const entries = (read(name) ?? '').split(',').map((entry) => entry.trim())
      const given = entries.filter((entry) => entry !== '')
      if (given.length === 0) return undefined
      return given.flatMap((entry) => {
        const parsed = url(name, example, 'user, query or fragment', () => true, entry)
        return parsed === undefined ? [] : [parsed.href.replace(/\/+$/, '')]
      })
    },

    /**
     * The issuer of an OpenID Connect provider, as it was given: providers
     * compare it letter by letter (OpenID Connect Discovery 1.0, 4.3).
     */
    issuer(name: string, example: string): string | undefined {
      const parsed = url(name, example, 'user, query or fragment', () => true)
      if (parsed?.protocol === 'http:' && !isLoopback(parsed.hostname)) {
        problems.add(`${name}: "${read(name)}" must begin with https:// (e.g. ${example})`)
      }
      return parsed === undefined ? undefined : read(name)
    },

    /** One short line that people read. */
    label(name: string, fallback: string, lengthMax: number): string {
      const value = text(name, fallback)
      if ([...value].length > lengthMax || !/^(?=.*\S)[^\p{Cc}\p{Cf}\p{Cs}]*$/u.test(value)) {
        problems.add(
          `${name}: "${value}" must have 1 to ${lengthMax} visible characters on one line (e.g. ${fallback})`,
        )
      }
      return value.trim()
    },

    /** Texts between spaces. */
    words: (name: string): readonly string[] => (read(name) ?? '').split(/\s+/).filter(Boolean),

    /** An absolute path; the file is opened where it is used. */
    path: file,

    /** A database by NAME or NAME_FILE. It may contain a password: messages never repeat its value. */
    database(name: string, example: string): string | undefined {
      const value = readSecret(name)
      if (value === undefined) return undefined
      const protocols = ['postgres:', 'postgresql:']
      for (const server of serverUrls(value)) {
        const url = parseUrl(name, protocols, 'the value (not shown)', server, example)
        const problem = url && databaseTlsProblem(url)
        if (problem !== undefined) problems.add(`${name}: ${problem} (e.g. ${example})`)
      }
      const problem = databaseServersProblem(value)
      if (problem !== undefined) problems.add(`${name}: ${problem} (e.g. ${example})`)
      return value
    },

    /** A Redis by NAME or NAME_FILE. It may contain a password: messages never repeat its value. */
    redis(name: string): RedisAddress | undefined {
      const value = readSecret(name)
      if (value === undefined) return undefined
      try {
        return parseRedisAddress(value)
      } catch (error) {
        if (!(error instanceof RedisAddressError)) throw error
        problems.add(`${name}: ${error.message}`)
        return undefined
      }
    },

    /**
     * A server by NAME or NAME_FILE, optionally with user and password. Rejects
     * all other parts, because they would have no effect.
     */
    mailServer(name: string, example: string): string | undefined {
      const value = readSecret(name)
      if (value === undefined) return undefined
      const url = parseUrl(name, ['smtp:', 'smtps:'], 'the value (not shown)', value, example)
      if (url === undefined) return value
      const { hostname, pathname, search, hash } = url
      if (hostname === '' || pathname.replace('/', '') + search + hash !== '') {
        problems.add(`${name}: must have a host and no path, query or fragment (e.g. ${example})`)
      }
      try {
        decodeURIComponent(url.username + url.password)
      } catch {
        problems.add(`${name}: write a % in user or password as %25 (value not shown)`)
      }
      return value
    },

    oneOf<const T extends string, Fallback extends T | undefined>(
      name: string,
      allowed: readonly T[],
      fallback: Fallback,
    ): T | Fallback {
      const value = read(name)
      if (value === undefined) return fallback
      const match = allowed.find((candidate) => candidate === value)
      if (match === undefined)
        problems.add(`${name}: "${value}" is not one of ${allowed.join(', ')}`)
      return match ?? fallback
    },

    /** A number from 0 to 1. */
    share(name: string, fallback: number): number {
      const value = read(name)
      if (value === undefined) return fallback
      const number = /^(?:0?\.\d{1,9}|0|1(?:\.0{1,9})?)$/.test(value) ? Number(value) : Number.NaN
      if (Number.isNaN(number)) {
        problems.add(`${name}: "${value}" is not a number from 0 to 1 (e.g. 0.01)`)
        return fallback
      }
      return number
    },

    accessLog(name: string, fallback: AccessLog): AccessLog {
      const value = read(name)
      if (value === undefined) return fallback
      const parsed = parseAccessLog(value)
      if (parsed === undefined) {
        problems.add(
          `${name}: "${value}" is not all, errors, sample:<share> or off (e.g. sample:0.01)`,
        )
      }
      return parsed ?? fallback
    },

    boolean<Fallback extends boolean | undefined>(
      name: string,
      fallback: Fallback,
    ): boolean | Fallback {
      const value = read(name)
      if (value === undefined) return fallback
      if (value !== 'true' && value !== 'false') {
        problems.add(`${name}: "${value}" is neither true nor false`)
      }
      return value === 'true'
    },

    /** `address` or `Name <address>`, on one line. */
    mailbox(name: string, example: string): string | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      if (!/^(?:[^<>@\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(value)) {
        problems.add(`${name}: "${value}" is not an email address (e.g. ${example})`)
      }
      return value
    },

    /** Where to report a vulnerability (RFC 9116, section 2.5.3). */
    contact(name: string, example: string): string | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      const isContact = /^(?:mailto:[^\s@]+@[^\s@]+|tel:\+?[\d-]+|https:\/\/\S+)$/.test(value)
      if (!isContact || !URL.canParse(value)) {
        problems.add(
          `${name}: "${value}" is not a URL beginning with mailto:, https:// or tel: (e.g. ${example})`,
        )
      }
      return value
    },

    /** A page that browsers reach over TLS. */
    page(name: string, example: string): string | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      if (/\s/.test(value)) problems.add(`${name}: must have no blanks (e.g. ${example})`)
      return parseUrl(name, ['https:'], `"${value}"`, value, example)?.href
    },

    fieldNames: (name: string) =>
      list(
        name,
        (entry) => /^[!#$%&'*+\-.^`|~0-9A-Za-z]+$/.test(entry),
        'is not the name of a header field (e.g. X-Correlation-ID)',
      ),

    networks: (name: string) =>
      list(name, isNetwork, 'is neither an IP address nor a CIDR (e.g. 10.0.0.0/8)'),

    timeZone(name: string, fallback: string): string {
      const value = text(name, fallback)
      try {
        new Intl.DateTimeFormat('en', { timeZone: value })
      } catch {
        problems.add(`${name}: "${value}" is not an IANA time zone (e.g. ${fallback})`)
      }
      return value
    },

    /** A secret by NAME or NAME_FILE. */
    secret(name: string, lengthMin: number): string | undefined {
      const value = readSecret(name)
      if (value !== undefined && value.length < lengthMin) {
        problems.add(`${name}: is shorter than ${lengthMin} characters (value not shown)`)
      }
      return value
    },

    /** Secrets between commas by NAME or NAME_FILE, as one text. */
    secretList(name: string, lengthMin: number): string | undefined {
      const value = readSecret(name)
      const problem = value === undefined ? undefined : secretListProblem(value, lengthMin)
      if (problem !== undefined) problems.add(`${name}: ${problem}`)
      return value
    },

    /** Percent-encoded `name=value` between commas, by NAME or NAME_FILE, as one text. */
    encodedFields(name: string): string | undefined {
      const value = readSecret(name)
      if (value !== undefined && !value.split(',').every(isEncodedField)) {
        problems.add(
          `${name}: is not name=value, separated by commas, with % only before two hexadecimal digits (e.g. authorization=Bearer%20abc; value not shown)`,
        )
      }
      return value
    },

    /** OpenTelemetry's variables that are set, but that neither Tollgate nor its exporter reads. */
    unreadOtel: (): readonly string[] =>
      Object.keys(env).filter(
        (name) => name.startsWith('OTEL_') && read(name) !== undefined && !readOtel.test(name),
      ),

    /** The files of the secrets that were read from files, by the setting that they are for. */
    secretFiles: (): Readonly<Record<string, string>> => ({ ...secretFiles }),

    /** Node's own variable would silently turn verification off for connections of its HTTP clients. */
    refuseUnverifiedTls(): void {
      if (read('NODE_TLS_REJECT_UNAUTHORIZED') === '0') {
        problems.add(
          'NODE_TLS_REJECT_UNAUTHORIZED: 0 would accept every certificate; remove it (e.g. NODE_EXTRA_CA_CERTS=/etc/tollgate/ca.pem trusts your own authority)',
        )
      }
    },

    finish(): void {
      if (problems.size > 0) throw new SettingsError([...problems])
    },
  }
}

export type SettingsReader = ReturnType<typeof createSettingsReader>
