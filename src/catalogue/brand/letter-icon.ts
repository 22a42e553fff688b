import type { Brand, Picture } from './brand.ts'
import { checkPicture } from './check-picture.ts'

/** Without an accent, that of Tollgate. */
const plainAccent = '#0a7180'

/** Makes an icon of the name's first letter on the accent; undefined without a name. */
export function letterIcon({ name, accent }: Pick<Brand, 'name' | 'accent'>): Picture | undefined {
  const letter = [...(name?.en ?? '')].find((sign) => /[\p{L}\p{N}]/u.test(sign))
  if (letter === undefined) return undefined
  const picture = checkPicture(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="${accent?.light ?? plainAccent}"/>
<text x="16" y="22.5" text-anchor="middle" font-family="system-ui, sans-serif" font-weight="650" font-size="18" fill="#fff">${letter.toUpperCase()}</text>
</svg>
`),
  )
  if ('fault' in picture) throw new Error(`the icon made of a letter ${picture.fault}`)
  return picture
}
