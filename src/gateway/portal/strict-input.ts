import type { FastifyInstance } from 'fastify'
import { namesTwice } from './names-twice.ts'
import { inputInvalid, notFound } from './portal-error.ts'

/**
 * Takes bodies, queries and paths for what they are: JSON in UTF-8 that names
 * each member once, and texts the database can hold. Fastify would replace
 * bytes that are no UTF-8, and the database answers NUL with an error that
 * looks like ours.
 */
export function takeStrictInput(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  // Text is what a form of another site may send without asking; JSON is the only body here.
  app.removeContentTypeParser(['text/plain', 'application/json'])
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, raw, done) => {
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
    if (path !== undefined)
      throw inputInvalid(path, 'text without NUL and without halves of characters')
  })
}

function decode(raw: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)
  } catch {
    return undefined
  }
}

/** What is nested deeper is described nowhere, and schemas refuse it without walking into it. */
const depthMax = 8

/** JSON pointer of the first text that no database text can hold; undefined: there is none. */
function unstorable(value: unknown, path: string, depth = 0): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : path
  if (typeof value !== 'object' || value === null || depth > depthMax) return undefined
  for (const [name, member] of Object.entries(value)) {
    // A name like that is in no schema; the validator's answer would repeat it.
    if (!isStorable(name)) return path
    const found = unstorable(member, `${path}/${name}`, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
