import { createHash } from 'node:crypto'
import { darkInk } from '../../catalogue/brand/accent.ts'
import type { Brand } from '../../catalogue/brand/brand.ts'
import { picturePath } from '../../catalogue/brand/pictures.ts'
import { type Language, type LanguageHeaders, languageOf } from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import { stylesheet } from './stylesheet.ts'

/** How the pages present the bank to one reader. */
export interface Face {
  readonly language: Language
  /** The bank's name in that language. */
  readonly name: string
  /** What the tile beside the name shows. */
  readonly letter: string
  /** Paths; undefined: name and tile stand in its place. */
  readonly logo: { readonly light: string; readonly dark: string } | undefined
  /** Path; undefined: none. */
  readonly icon: string | undefined
  /** Path, which changes with the content. */
  readonly style: string
}

/** The bank's face for the reader of a request. */
export function faceOf(brand: Brand, headers: LanguageHeaders): Face {
  const language = languageOf(headers)
  const { logo, icon } = brand
  const name = brand.name?.[language]
  return {
    language,
    name: name ?? wordsOf(language).t('bank.name'),
    letter: [...(name ?? 'B')][0] ?? 'B',
    logo: logo && { light: picturePath('light', logo.light), dark: picturePath('dark', logo.dark) },
    icon: icon && picturePath('icon', icon),
    style: `/style.css?v=${createHash('sha256').update(styleOf(brand)).digest('hex').slice(0, 12)}`,
  }
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
