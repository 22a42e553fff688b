import type { FastifyInstance } from 'fastify'
import { namesTwice } from './names-twice.ts'
import { inputInvalid, notFound } from './portal-error.ts'

/**
 * Accepts only JSON in UTF-8 that names each member once, and only strings that
 * the database can store. Fastify would replace bytes that are not UTF-8, and
 * the database rejects NUL with an error that looks like a bug in the portal.
 * An empty JSON body counts as no body; a route that needs a body rejects it.
 */
export function takeStrictInput(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  // A form on another site can send text without a preflight; the portal accepts only JSON.
  app.removeContentTypeParser(['text/plain', 'application/json'])
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, raw, done) => {
      if (raw.length === 0) {
        done(null, undefined)
        return
      }
      const text = decode(raw)
      if (text === undefined) {
        done(inputInvalid('', 'JSON in UTF-8'))
        return
      }
      void parse(request, text, (error: Error | null, value?: unknown) => {
        const isAmbiguous = error === null && namesTwice(text, value)
        done(isAmbiguous ? inputInvalid('', 'JSON that names each member once') : error, value)
      })
    },
  )
  app.addHook('preValidation', async ({ body, query, params }) => {
    if (unstorable(params, '') !== undefined) throw notFound()
    const path = unstorable(query, '') ?? unstorable(body, '')
    if (path !== undefined) throw inputInvalid(path, 'text without NUL and without lone surrogates')
  })
}

function decode(raw: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)
  } catch {
    return undefined
  }
}

/** No schema describes deeper values, and validation rejects them without descending. */
const depthMax = 8

/** JSON pointer of the first string that the database cannot store; undefined if it can store every string. */
function unstorable(value: unknown, path: string, depth = 0): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : path
  if (typeof value !== 'object' || value === null || depth > depthMax) return undefined
  for (const [name, member] of Object.entries(value)) {
    // No schema has such a name, and the validator's message would repeat it.
    if (!isStorable(name)) return path
    const found = unstorable(member, `${path}/${name}`, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
