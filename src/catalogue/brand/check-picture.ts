import { sha256 } from '../sha256.ts'
import type { Picture } from './brand.ts'
import { checkSvg } from './check-svg.ts'

/** A picture, or why a brand may not show it. */
export type CheckedPicture = Picture | { readonly fault: string }

/** Most bytes of a picture. */
export const pictureBytesMax = 131_072
/** Widest and highest a PNG may be, in pixels. */
const pixelsMax = 2_000

/** Recognises a picture by its content, not by its name, and checks that it only shows something. */
export function checkPicture(content: Buffer): CheckedPicture {
  if (content.length > pictureBytesMax) {
    return { fault: `has ${content.length} bytes; a picture has ${pictureBytesMax} at most` }
  }
  const isPng = content.subarray(0, pngSignature.length).equals(pngSignature)
  const size = isPng ? checkPng(content) : checkSvg(content)
  if ('fault' in size) return size
  return {
    type: isPng ? 'image/png' : 'image/svg+xml',
    content: content.toString('base64'),
    digest: sha256(content).slice(0, 16),
    ...size,
  }
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Walks the chunks (PNG, third edition, section 5): nothing may follow the last one. */
function checkPng(
  content: Buffer,
): { readonly width: number; readonly height: number } | { readonly fault: string } {
  const damaged = { fault: 'is not a complete PNG file' }
  if (content.length < 33 || content.toString('latin1', 12, 16) !== 'IHDR') return damaged
  const [width, height] = [content.readUInt32BE(16), content.readUInt32BE(20)]
  if (width === 0 || height === 0) return damaged
  if (width > pixelsMax || height > pixelsMax) {
    return { fault: `is ${width} × ${height} pixels; ${pixelsMax} × ${pixelsMax} is the most` }
  }
  for (let at = pngSignature.length; at + 12 <= content.length; ) {
    const end = at + 12 + content.readUInt32BE(at)
    const isLast = content.toString('latin1', at + 4, at + 8) === 'IEND'
    if (isLast) return end === content.length ? { width, height } : damaged
    at = end
  }
  return damaged
}
