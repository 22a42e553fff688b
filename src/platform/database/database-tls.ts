import { readFileSync } from 'node:fs'
import type { ConnectionOptions, SecureContextOptions } from 'node:tls'
import { protocol } from '../http/tls.ts'
import { codeOf } from '../log/error-code.ts'

/** Parameters of libpq that concern TLS. */
const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'ssl', 'uselibpqcompat']

/**
 * Modes that libpq would run with less verification. Tollgate verifies the
 * server's certificate and name in all of these.
 */
const verifiedModes = ['prefer', 'require', 'verify-ca', 'verify-full']

/** What is wrong with the TLS parameters of a database URL; undefined: nothing. */
export function databaseTlsProblem({ searchParams }: URL): string | undefined {
  const mode = searchParams.get('sslmode')
  if (searchParams.has('ssl') || searchParams.has('uselibpqcompat')) {
    return 'use sslmode=verify-full in place of ssl and uselibpqcompat'
  }
  if (mode !== null && mode !== 'disable' && !verifiedModes.includes(mode)) {
    return `sslmode=${/^[a-z-]{1,20}$/.test(mode) ? mode : '…'} is not supported; use verify-full or disable`
  }
  if (searchParams.has('sslcert') !== searchParams.has('sslkey')) {
    return 'sslcert and sslkey are required together'
  }
  try {
    readFiles(searchParams)
  } catch (error) {
    return `a file of sslrootcert, sslcert or sslkey cannot be read: ${codeOf(error)}`
  }
  return undefined
}

/** Whether connections to the database are encrypted. A Unix socket needs no encryption. */
export function usesTls({ searchParams }: URL): boolean {
  const mode = searchParams.get('sslmode')
  if (mode !== null) return mode !== 'disable'
  return ['sslrootcert', 'sslcert'].some((name) => searchParams.has(name))
}

/**
 * Splits a database URL into what pg parses and its TLS options. pg would read
 * the modes itself, with a warning that its next version verifies less.
 *
 * @throws when a file cannot be read
 */
export function splitDatabaseTls(text: string): {
  readonly connectionString: string
  readonly ssl: ConnectionOptions | false
} {
  const url = new URL(text)
  const encrypted = usesTls(url)
  const files = readFiles(url.searchParams)
  if (parameters.some((name) => url.searchParams.has(name))) {
    for (const name of parameters) url.searchParams.delete(name)
  } else if (!encrypted) return { connectionString: text, ssl: false }
  return {
    connectionString: url.href,
    ssl: encrypted && {
      // Explicit, because an environment variable of Node turns the default off.
      rejectUnauthorized: true,
      ...protocol,
      ...files,
    },
  }
}

/** The files that a URL names, by the option of Node that takes their content. */
function readFiles(searchParams: URLSearchParams): SecureContextOptions {
  const options = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const
  const found = Object.entries(options).flatMap(([name, option]) => {
    const path = searchParams.get(name)
    // libpq's word for the authorities of the system, which Node uses by default.
    return path === null || path === 'system' ? [] : [[option, readFileSync(path, 'utf8')]]
  })
  return Object.fromEntries(found)
}
