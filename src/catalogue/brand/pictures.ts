import type { Brand, Picture } from './brand.ts'

/** What a picture is for: the logo in each colour scheme, or the icon. */
export const pictureUses = ['light', 'dark', 'icon'] as const
export type PictureUse = (typeof pictureUses)[number]

/** The route of pictures, at the portal and at the bank's pages. */
export const pictureRoute = '/brand/:use/:digest'

/** Where a picture is, below the origin of the page that shows it. */
export function picturePath(use: PictureUse, { digest }: Picture): string {
  return `/brand/${use}/${digest}`
}

/** A picture as HTTP sends it. */
export interface ServedPicture {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * Finds the picture of a path. Another digest gets the current picture, which
 * then is not stored: during a reload, another process may have written the page.
 *
 * @returns undefined when the brand has no such picture
 */
export function servePicture(
  brand: Brand,
  { use, digest }: { readonly use: string; readonly digest: string },
): ServedPicture | undefined {
  const picture = pictureOf(brand, use)
  if (picture === undefined) return undefined
  const isCurrent = picture.digest === digest
  return {
    headers: {
      'content-type': picture.type,
      'cache-control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-store',
      'x-content-type-options': 'nosniff',
      // An SVG that is opened directly is a document: it runs nothing and loads nothing.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    },
    body: Buffer.from(picture.content, 'base64'),
  }
}

function pictureOf({ logo, icon }: Brand, use: string): Picture | undefined {
  if (use === 'icon') return icon
  return use === 'light' || use === 'dark' ? logo?.[use] : undefined
}
