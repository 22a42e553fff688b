import type { JsonObject } from '../catalogue/catalogue.ts'
import { BankError, formatError } from './bank-error.ts'

/** Maximum levels of a body; the documents need eight. */
const depthMax = 32

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i

/**
 * Checks the media type of a request that has a body.
 *
 * @throws {BankError} 415 for a type other than JSON
 */
export function checkMediaType(raw: Buffer, contentType: string | undefined): void {
  if (raw.length === 0) return
  if (contentType === undefined || !jsonType.test(contentType)) {
    throw new BankError('FORMAT_ERROR', 'Content-Type must be application/json', { status: 415 })
  }
}

/**
 * Reads the body of a request: UTF-8 JSON, an object. An empty body is
 * undefined, whatever its type. Omits members that are null, because many clients
 * send null for a member that they do not set.
 *
 * @throws {BankError} 400 FORMAT_ERROR for a body that is not a JSON object
 */
export function readBody(raw: Buffer): JsonObject | undefined {
  if (raw.length === 0) return undefined
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw))
  } catch (cause) {
    throw new BankError('FORMAT_ERROR', 'The body is not JSON in UTF-8', { cause })
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new BankError('FORMAT_ERROR', 'The body must be a JSON object')
  }
  // Copied from what JSON.parse made, it is Json.
  return read(body, '', 0) as JsonObject
}

/** Copies a value without null members. Rejects NUL and lone surrogates, which no text in the database can hold. */
function read(value: unknown, path: string, depth: number): unknown {
  if (depth > depthMax) throw formatError(path.slice(0, 100), 'Is nested too deeply')
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      throw formatError(path, 'Has characters that are not allowed')
    }
    return value
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    return value.map((entry, index) => read(entry, `${path}[${index}]`, depth + 1))
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (name.includes('\0') || !name.isWellFormed()) {
        throw formatError(path, 'Has a member whose name is not allowed')
      }
      const inside = read(member, path === '' ? name : `${path}.${name}`, depth + 1)
      return inside === null ? [] : [[name, inside]]
    }),
  )
}
