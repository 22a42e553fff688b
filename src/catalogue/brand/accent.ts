import { contrast, type Oklch, toHex, toOklch } from './color.ts'

/** The accent of a brand in both colour schemes, and the shades that pages use. Colours are `#rrggbb`. */
export interface Accent {
  /** Ground of buttons in the light scheme; white is text on it. */
  readonly light: string
  /** The same in the dark scheme; {@link darkInk} is text on it. */
  readonly dark: string
  /**
   * From pale to dark. 7 is {@link light} and 4 is {@link dark}; 8 is for links
   * on light ground and 3 on dark ground; 0 and 9 are the grounds of notices.
   */
  readonly shades: readonly string[]
}

/** The least contrast of text (WCAG 2.2, 1.4.3). */
export const contrastMin = 4.5

/** The darkest ground of text in the light scheme, and the lightest in the dark scheme. */
const grounds = { light: '#edf1f3', dark: '#16252b' } as const

/** Text on the accent of the dark scheme. */
export const darkInk = '#06171b'
const white = '#ffffff'

/** One pair of colours with too little contrast. */
export interface FaintAccent {
  /** How the colour is used there: "with white text on it". */
  readonly use: string
  readonly ratio: number
  /** A colour of the same hue with enough contrast. */
  readonly near: string
}

/** Finds where an accent has too little contrast: as the ground of a button, and as a link. */
export function faintUses(color: string, scheme: 'light' | 'dark'): readonly FaintAccent[] {
  const faint = pairsOf(scheme)
    .map(({ use, other }) => ({ use, ratio: contrast(color, other) }))
    .filter(({ ratio }) => ratio < contrastMin)
  if (faint.length === 0) return []
  const near = toHex(nearest(toOklch(color), scheme))
  return faint.map((pair) => ({ ...pair, near }))
}

/**
 * Makes the accent of one colour, or of one for each scheme. Colours without
 * enough contrast, which {@link faintUses} names, are not improved here.
 */
export function accentOf(light: string, dark?: string): Accent {
  const base = toOklch(light)
  const bright = dark === undefined ? brightened(base) : toOklch(dark)
  const darkHex = dark ?? toHex(bright)
  const tint = (lightness: number, share: number, of: Oklch): string =>
    toHex({ ...of, lightness, chroma: of.chroma * share })
  const between = (share: number): string =>
    toHex({ ...base, lightness: base.lightness + (bright.lightness - base.lightness) * share })
  const shades = [
    tint(0.965, 0.14, base),
    tint(0.92, 0.25, base),
    tint(Math.min(0.94, Math.max(0.87, bright.lightness + 0.13)), 0.5, bright),
    toHex(nearest({ ...bright, lightness: Math.min(0.92, bright.lightness + 0.08) }, 'dark')),
    darkHex.toLowerCase(),
    between(0.55),
    toHex(nearest({ ...base, lightness: base.lightness + 0.05 }, 'light')),
    light.toLowerCase(),
    toHex({ ...base, lightness: base.lightness * 0.86 }),
    tint(0.295, 0.45, base),
  ]
  return { light: light.toLowerCase(), dark: darkHex.toLowerCase(), shades }
}

/** The accent's own hue, bright enough for dark ground. */
function brightened(base: Oklch): Oklch {
  return nearest({ ...base, lightness: Math.max(0.66, base.lightness) }, 'dark')
}

/** The colour itself if its contrast is enough, or the nearest darker one (light scheme) or lighter one (dark scheme). */
function nearest(color: Oklch, scheme: 'light' | 'dark'): Oklch {
  const step = scheme === 'light' ? -0.005 : 0.005
  let { lightness } = color
  while (lightness > 0 && lightness < 1) {
    const hex = toHex({ ...color, lightness })
    if (pairsOf(scheme).every(({ other }) => contrast(hex, other) >= contrastMin)) break
    lightness += step
  }
  return { ...color, lightness }
}

function pairsOf(scheme: 'light' | 'dark') {
  return scheme === 'light'
    ? [
        { use: 'with white text on it', other: white },
        { use: `as a link on ${grounds.light}`, other: grounds.light },
      ]
    : [
        { use: `with the text ${darkInk} on it`, other: darkInk },
        { use: `as a link on ${grounds.dark} (dark scheme)`, other: grounds.dark },
      ]
}
