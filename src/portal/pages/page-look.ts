import type { FastifyReply } from 'fastify'
import { isLanguage, type Language, languageOf } from '../../messages/language.ts'
import { sessionCookie } from '../accounts/carry-sessions.ts'
import type { BrandFacts } from '../api/schemas/brand.ts'
import type { PortalServices } from '../services.ts'
import { brandFacts } from './brand-facts.ts'

/** What every HTML document of the portal needs in addition to its content. */
export interface PageLook {
  readonly language: Language
  readonly brand: BrandFacts
  /** Lets in the style. */
  readonly styleNonce: string
  /** Lets in the script. */
  readonly scriptNonce: string
  /** Path of the icon. */
  readonly icon: string
  /** Rules of CSS for the portal's own faces. */
  readonly faces: string
  /** Whether the portal has a page of the sandbox. */
  readonly hasSandbox: boolean
  /** Whether the browser sent a session cookie, valid or not. */
  readonly carriesSession: boolean
}

export type LookServices = Pick<PortalServices, 'catalogue' | 'page' | 'portalUrl' | 'sandbox'>

/** The look of the answer to a request. */
export function pageLook(
  { catalogue, page, portalUrl, sandbox }: LookServices,
  reply: FastifyReply,
): PageLook {
  const { headers } = reply.request
  const language = languageOf(headers)
  return {
    language,
    ...brandLook(catalogue().brand, language, page.icon),
    styleNonce: reply.cspNonce.style,
    scriptNonce: reply.cspNonce.script,
    faces: page.faces,
    hasSandbox: sandbox !== undefined,
    carriesSession: hasCookie(headers.cookie, sessionCookie(portalUrl()).name),
  }
}

/** The look of a page without script: its address may name another language than the reader's. */
export function plainLook(services: LookServices, reply: FastifyReply): PageLook {
  const look = pageLook(services, reply)
  const asked = queryValue(reply.request.query, 'language')
  if (!isLanguage(asked)) return look
  const { catalogue, page } = services
  return { ...look, language: asked, ...brandLook(catalogue().brand, asked, page.icon) }
}

/** A value of a query that no schema has checked; undefined if there are several. */
export function queryValue(query: unknown, name: string): string | undefined {
  if (typeof query !== 'object' || query === null) return undefined
  const value: unknown = Reflect.get(query, name)
  return typeof value === 'string' ? value : undefined
}

function brandLook(
  brand: Parameters<typeof brandFacts>[0],
  language: Language,
  ownIcon: string,
): Pick<PageLook, 'brand' | 'icon'> {
  const facts = brandFacts(brand, language)
  return { brand: facts, icon: facts.icon?.url ?? ownIcon }
}

function hasCookie(cookies = '', name: string): boolean {
  return cookies.split(';').some((pair) => pair.trimStart().startsWith(`${name}=`))
}

/**
 * The accent as a style element, so that the first paint has the brand's
 * colours. The page's script then makes the same ones; empty without an accent.
 */
export function accentStyle({ brand, styleNonce }: Pick<PageLook, 'brand' | 'styleNonce'>): string {
  const shades = (brand.accent ?? []).map((shade, at) => `--mantine-color-tide-${at}:${shade}`)
  return shades.length === 0
    ? ''
    : `<style nonce="${styleNonce}">:root{${shades.join(';')}}</style>`
}
