import { createHash } from 'node:crypto'
import { darkInk } from '../../catalogue/brand/accent.ts'
import type { Brand } from '../../catalogue/brand/brand.ts'
import { picturePath } from '../../catalogue/brand/pictures.ts'
import type { Words } from '../../messages/format.ts'
import { html } from './html.ts'
import { plainAccent, stylesheet } from './stylesheet.ts'

/** How the pages present the bank to one reader. */
export interface Face {
  /** The bank's name in the reader's language. */
  readonly name: string
  /** The letter of the tile beside the name. */
  readonly letter: string
  /** Paths; undefined: the pages show name and tile instead. */
  readonly logo: { readonly light: string; readonly dark: string } | undefined
  /** Path; without one of the brand, the letter on a tile. */
  readonly icon: string
  /** Path, which changes with the content. */
  readonly style: string
}

/** Where the icon is that is drawn for a bank without one of its own. */
export const iconPath = '/icon.svg'

/** The bank's face for a reader of a language. */
export function faceOf(brand: Brand, { t, language }: Words): Face {
  const { logo, icon } = brand
  const name = brand.name?.[language]
  return {
    name: name ?? t('bank.name'),
    letter: [...(name ?? t('bank.initial'))][0] ?? '',
    logo: logo && { light: picturePath('light', logo.light), dark: picturePath('dark', logo.dark) },
    icon: icon ? picturePath('icon', icon) : iconPath,
    style: `/style.css?v=${createHash('sha256').update(styleOf(brand)).digest('hex').slice(0, 12)}`,
  }
}

/** The tile beside the name as a picture. */
export function iconOf({ letter }: Pick<Face, 'letter'>, { accent }: Brand): string {
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${accent?.light ?? plainAccent}"/><text x="16" y="23" text-anchor="middle" font-family="system-ui, sans-serif" font-weight="700" font-size="19" fill="#fff">${letter}</text></svg>`
    .markup
}

/** The stylesheet of all pages, in the colours of the brand. */
export function styleOf({ accent }: Brand): string {
  if (accent === undefined) return stylesheet
  const [tint, , , darkLink, , , , , link, darkTint] = accent.shades
  return `${stylesheet}:root { --accent: ${accent.light}; --on-accent: #fff; --link: ${link}; --tint: ${tint}; }
@media (prefers-color-scheme: dark) {
  :root { --accent: ${accent.dark}; --on-accent: ${darkInk}; --link: ${darkLink}; --tint: ${darkTint}; }
}
`
}
