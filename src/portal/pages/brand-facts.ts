import type { Brand, ByLanguage, Picture } from '../../catalogue/brand/brand.ts'
import { type PictureUse, picturePath } from '../../catalogue/brand/pictures.ts'
import type { Language } from '../../messages/language.ts'
import type { BrandFacts, PictureFacts } from '../api/schemas/brand.ts'

/** The brand as a page in one language shows it. */
export function brandFacts(brand: Brand, language: Language): BrandFacts {
  const { logo, icon, accent, terms } = brand
  const text = (member: ByLanguage | undefined): string | null => member?.[language] ?? null
  return {
    name: brandName(brand, language),
    logo: logo ? { light: shown('light', logo.light), dark: shown('dark', logo.dark) } : null,
    icon: icon ? shown('icon', icon) : null,
    accent: accent ? [...accent.shades] : null,
    terms: terms ? { version: terms.version, url: text(terms.url) ?? termsPath } : null,
    support: text(brand.support),
    privacy: text(brand.privacy),
    status: text(brand.status),
    imprint: text(brand.imprint),
  }
}

/** The name under which the portal appears. */
export function brandName({ name }: Brand, language: Language): string {
  return name?.[language] ?? 'Tollgate'
}

/** Page of terms that the configuration holds. */
export const termsPath = '/terms'

function shown(use: PictureUse, picture: Picture): PictureFacts {
  const { width, height } = picture
  return { url: picturePath(use, picture), width, height }
}
