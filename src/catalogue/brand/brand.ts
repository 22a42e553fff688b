// This folder reads the bank's brand, `brand.yaml` beside the API documents, and the pictures that it names. Read this
// file first: it says what a brand holds. `load-brand.ts` reads the file and reports what is wrong with it;
// `check-picture.ts` refuses pictures that could do more than show something; `accent.ts` makes the shades of one colour.

import type { Language } from '../../messages/language.ts'
import type { Accent } from './accent.ts'

/** A text or address in each language. */
export type ByLanguage<Value = string> = Readonly<Record<Language, Value>>

/** A picture of the brand, checked. Data only, so that it can travel between processes. */
export interface Picture {
  readonly type: 'image/svg+xml' | 'image/png'
  /** base64 */
  readonly content: string
  /** Changes with the content; part of its address. */
  readonly digest: string
  /** In pixels or units of the picture: their ratio is what counts. */
  readonly width: number
  readonly height: number
}

/** The terms that developers accept at sign-up. */
export interface Terms {
  /** What is stored with the acceptance; a new version asks every developer again. */
  readonly version: string
  /** Where they are published, or undefined when {@link texts} holds them. */
  readonly url: ByLanguage | undefined
  /** Markdown. */
  readonly texts: ByLanguage | undefined
}

/** How the portal, the bank's pages and mails present themselves. A member is undefined if the file omits it. */
export interface Brand {
  readonly name: ByLanguage | undefined
  /** In the header, for each colour scheme. */
  readonly logo: { readonly light: Picture; readonly dark: Picture } | undefined
  /** In the browser's tab, and next to the name if there is no logo; derived from name and accent if the file names none. */
  readonly icon: Picture | undefined
  readonly accent: Accent | undefined
  /** `https:` or `mailto:`, as are the next ones except mail. */
  readonly support: ByLanguage | undefined
  readonly terms: Terms | undefined
  readonly privacy: ByLanguage | undefined
  readonly status: ByLanguage | undefined
  readonly imprint: ByLanguage | undefined
}

/** No brand: the look of Tollgate. */
export const plainBrand: Brand = Object.freeze({
  name: undefined,
  logo: undefined,
  icon: undefined,
  accent: undefined,
  support: undefined,
  terms: undefined,
  privacy: undefined,
  status: undefined,
  imprint: undefined,
})
