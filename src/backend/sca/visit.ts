import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Brand } from '../../catalogue/brand/brand.ts'
import type { Words } from '../../messages/format.ts'
import {
  isLanguage,
  type Language,
  languageCookie,
  languageOf,
  languages,
} from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import { type Face, faceOf } from './face.ts'

/** How a page is shown to the person who asked for it. */
export interface Visit {
  readonly words: Words
  readonly face: Face
  /** The same page in the other languages: queries that keep the rest of its own. */
  readonly elsewhere: readonly { readonly language: Language; readonly href: string }[]
}

/** Parameter of the query with which a page changes its language. */
const parameter = 'lang'
const rememberedSeconds = 365 * 86_400

/** The language of a request: the one it asks for, else the browser's choice before, else what the browser prefers. */
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

/** Keeps the language that a request asks for, for a year. */
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
    `${languageCookie}=${language}; Path=/; SameSite=Lax; Max-Age=${rememberedSeconds}${secure}`,
  )
}

function askedLanguage(query: URLSearchParams): Language | undefined {
  const asked = query.get(parameter) ?? undefined
  return isLanguage(asked) ? asked : undefined
}

/** Read here, because a malformed address has no parsed query. */
function queryOf({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start))
}
