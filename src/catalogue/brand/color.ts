/** A colour of OKLCH (CSS Color 4, 9.4): equal steps of `lightness` look equally far apart. */
export interface Oklch {
  /** 0 (black) to 1 (white). */
  readonly lightness: number
  /** 0 (grey) to about 0.37. */
  readonly chroma: number
  /** Radians. */
  readonly hue: number
}

/** Whether a text is a colour as brand files write it: `#0a7180`. */
export function isHexColor(text: string): boolean {
  return /^#[0-9a-fA-F]{6}$/.test(text)
}

/** Contrast of two colours, 1 to 21 (WCAG 2.2, "contrast ratio"). @param one `#rrggbb`, as is the other */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** WCAG 2.2, "relative luminance". */
function luminance(hex: string): number {
  const [red, green, blue] = linear(hex)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** @param hex `#rrggbb` */
export function toOklch(hex: string): Oklch {
  const [red, green, blue] = linear(hex)
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    chroma: Math.hypot(a, b),
    hue: Math.atan2(b, a),
  }
}

/** As `#rrggbb`. A colour that screens cannot show loses chroma until they can; hue and lightness stay. */
export function toHex({ lightness, chroma, hue }: Oklch): string {
  for (let left = chroma; ; left = Math.max(0, left - 0.004)) {
    const channels = toLinear({ lightness, chroma: left, hue })
    if (left > 0 && !channels.every((channel) => channel > -0.0005 && channel < 1.0005)) continue
    return `#${channels.map(channelHex).join('')}`
  }
}

function toLinear({ lightness, chroma, hue }: Oklch): readonly number[] {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

function channelHex(value: number): string {
  const curved = value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055
  const byte = Math.round(Math.min(1, Math.max(0, curved)) * 255)
  return byte.toString(16).padStart(2, '0')
}

/** Red, green and blue without the curve of sRGB, 0 to 1. */
function linear(hex: string): readonly [number, number, number] {
  const channel = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}
