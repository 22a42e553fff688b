import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { parseRedisAddress, type RedisAddress, RedisAddressError } from './redis-address.ts'

/** Where a listener binds. Port 0 selects any free port. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Holds every problem of the settings, one sentence each. */
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

/** Reads variables one by one and collects their problems. An empty variable counts as absent. */
export function createSettingsReader(env: Readonly<Record<string, string | undefined>>) {
  // A set, because a default may read a setting that also has its own row.
  const problems = new Set<string>()

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
    problems.add(
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
  ): URL | undefined {
    const value = read(name)
    if (value === undefined) return undefined
    const parsed = parseUrl(name, ['http:', 'https:'], `"${value}"`, value, example)
    if (parsed === undefined) return undefined
    const { username, password, search, hash } = parsed
    if (username + password + search + hash !== '' || !isAllowed(parsed)) {
      problems.add(`${name}: must have no ${refused} (e.g. ${example})`)
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

    /** The origin of a listener. Rejects a path, because links built from the origin would lose it. */
    origin(name: string, example: string): string | undefined {
      // In the form that browsers send as Origin, because the two are compared.
      return url(name, example, 'user, path, query or fragment', ({ pathname }) => pathname === '/')
        ?.origin
    },

    url(name: string, example: string): string | undefined {
      return url(name, example, 'user, query or fragment', () => true)?.href.replace(/\/+$/, '')
    },

    /** A URL that may contain a password: messages never repeat its value. */
    secretUrl(name: string, protocols: readonly string[], example: string): string | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      parseUrl(name, protocols, 'the value (not shown)', value, example)
      return value
    },

    /** May contain a password: messages never repeat its value. */
    redis(name: string): RedisAddress | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      try {
        return parseRedisAddress(value)
      } catch (error) {
        if (!(error instanceof RedisAddressError)) throw error
        problems.add(`${name}: ${error.message}`)
        return undefined
      }
    },

    /** A server, optionally with user and password. Rejects all other parts, because they would have no effect. */
    mailServer(name: string, example: string): string | undefined {
      const value = read(name)
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

    boolean(name: string, fallback: boolean): boolean {
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

    fieldNames(name: string): string[] {
      const entries = (read(name) ?? '').split(',').map((entry) => entry.trim())
      return entries.filter((entry) => {
        if (entry === '') return false
        const isFieldName = /^[!#$%&'*+\-.^`|~0-9A-Za-z]+$/.test(entry)
        if (!isFieldName) {
          problems.add(
            `${name}: "${entry}" is not the name of a header field (e.g. X-Correlation-ID)`,
          )
        }
        return isFieldName
      })
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
          problems.add(`${name}: "${entry}" is neither an IP address nor a CIDR (e.g. 10.0.0.0/8)`)
        }
        return isNetwork
      })
    },

    timeZone(name: string, fallback: string): string {
      const value = text(name, fallback)
      try {
        new Intl.DateTimeFormat('en', { timeZone: value })
      } catch {
        problems.add(`${name}: "${value}" is not an IANA time zone (e.g. ${fallback})`)
      }
      return value
    },

    /** NAME, or the content of the file NAME_FILE. Both at once are an error, because neither takes precedence. */
    secret(name: string, lengthMin: number): string | undefined {
      const direct = read(name)
      const path = read(`${name}_FILE`)
      if (direct !== undefined && path !== undefined) {
        problems.add(`${name}: both ${name} and ${name}_FILE are set; keep one`)
        return undefined
      }
      let value = direct
      if (path !== undefined) {
        try {
          value = readFileSync(path, 'utf8').trim()
        } catch (error) {
          problems.add(
            `${name}_FILE: cannot read "${path}": ${(error as NodeJS.ErrnoException).code}`,
          )
          return undefined
        }
      }
      if (value !== undefined && value.length < lengthMin) {
        problems.add(`${name}: is shorter than ${lengthMin} characters (value not shown)`)
      }
      return value
    },

    finish(): void {
      if (problems.size > 0) throw new SettingsError([...problems])
    },
  }
}

export type SettingsReader = ReturnType<typeof createSettingsReader>
