import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Brand } from '../../catalogue/brand/brand.ts'
import type { Words } from '../../messages/format.ts'
import {
  isLanguage,
  type Language,
  languageCookie,
  languageCookieSeconds,
  languageOf,
  languages,
} from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import { type Face, faceOf } from './face.ts'

/** Language and appearance of a page for its reader. */
export interface Visit {
  readonly words: Words
  readonly face: Face
  /** The same page in the other languages. Each query keeps the page's other parameters. */
  readonly elsewhere: readonly { readonly language: Language; readonly href: string }[]
}

/** Parameter of the query with which a page changes its language. */
const parameter = 'lang'

/** The visit of a request. Its language is that of the query, else of the cookie, else of the browser's settings. */
export function visitOf(brand: Brand, request: Pick<FastifyRequest, 'url' | 'headers'>): Visit {
  const query = queryOf(request)
  const language = askedLanguage(query) ?? languageOf(request.headers)
  const words = wordsOf(language)
  const others = languages.filter((other) => other !== language)
  return {
    words,
    face: faceOf(brand, words),
    elsewhere: others.map((other) => {
      const own = new URLSearchParams(query)
      own.set(parameter, other)
      return { language: other, href: `?${own}` }
    }),
  }
}

/** Stores the language in the query of a request in a cookie for a year. */
export function rememberLanguage(
  request: FastifyRequest,
  reply: FastifyReply,
  isSecure: boolean,
): void {
  const language = askedLanguage(queryOf(request))
  if (language === undefined) return
  const secure = isSecure ? '; Secure' : ''
  reply.header(
    'set-cookie',
    `${languageCookie}=${language}; Path=/; SameSite=Lax; Max-Age=${languageCookieSeconds}${secure}`,
  )
}

function askedLanguage(query: URLSearchParams): Language | undefined {
  const asked = query.get(parameter) ?? undefined
  return isLanguage(asked) ? asked : undefined
}

/** Parses the query itself, because Fastify does not parse that of a malformed address. */
function queryOf({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start))
}
