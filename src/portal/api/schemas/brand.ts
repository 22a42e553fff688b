import { type Static, Type } from 'typebox'
import { closed, nullable } from './common.ts'

/** A picture of the portal's own origin; width and height tell its shape. */
export const PictureFacts = closed({
  url: Type.String(),
  width: Type.Number(),
  height: Type.Number(),
})
export type PictureFacts = Static<typeof PictureFacts>

/** The bank's brand, in the language of the request. */
export const BrandFacts = closed({
  name: Type.String(),
  logo: nullable(closed({ light: PictureFacts, dark: PictureFacts })),
  icon: nullable(PictureFacts),
  accent: nullable(
    Type.Array(Type.String(), { description: 'ten shades as #rrggbb, from pale to dark' }),
  ),
  terms: nullable(closed({ version: Type.String(), url: Type.String() })),
  support: nullable(Type.String({ description: 'https: or mailto:' })),
  privacy: nullable(Type.String()),
  status: nullable(Type.String()),
  imprint: nullable(Type.String()),
})
export type BrandFacts = Static<typeof BrandFacts>
