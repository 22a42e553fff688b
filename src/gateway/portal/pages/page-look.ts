import type { FastifyReply } from 'fastify'
import { type Language, languageOf } from '../../../messages/language.ts'
import { brandFacts } from '../brand-facts.ts'
import type { BrandFacts } from '../schemas/brand.ts'
import type { PortalServices } from '../services.ts'

/** What every HTML document of the portal needs besides its content. */
export interface PageLook {
  readonly language: Language
  readonly brand: BrandFacts
  /** Lets in the style. */
  readonly styleNonce: string
  /** Path of the icon. */
  readonly icon: string
  /** Rules of CSS for the portal's own faces. */
  readonly faces: string
}

/** The look of the answer to a request. */
export function pageLook(
  { catalogue, page }: Pick<PortalServices, 'catalogue' | 'page'>,
  reply: FastifyReply,
): PageLook {
  const language = languageOf(reply.request.headers)
  const brand = brandFacts(catalogue().brand, language)
  const icon = brand.icon?.url ?? page.icon
  return { language, brand, styleNonce: reply.cspNonce.style, icon, faces: page.faces }
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
