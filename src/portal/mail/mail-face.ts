import type { Brand } from '../../catalogue/brand/brand.ts'
import type { Language } from '../../messages/language.ts'
import { brandName } from '../pages/brand-facts.ts'

/** How a mail presents its sender. */
export interface MailFace {
  readonly name: string
  /** Ground of the button; white is text on it. */
  readonly accent: string
  /** Links on light and on dark ground. */
  readonly links: { readonly light: string; readonly dark: string }
  /** Where questions go, `https:` or `mailto:`; undefined: nowhere. */
  readonly support: string | undefined
  /** The sender's name where MAIL_FROM has none. */
  readonly sender: string | undefined
}

/** The face of mails in a language. */
export function mailFace(brand: Brand, language: Language): MailFace {
  return {
    name: brandName(brand, language),
    accent: brand.accent?.light ?? '#0a7180',
    links: {
      light: brand.accent?.shades[8] ?? '#085965',
      dark: brand.accent?.shades[3] ?? '#6cc9d5',
    },
    support: brand.support?.[language],
    sender: brand.name?.[language],
  }
}
