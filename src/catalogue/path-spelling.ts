// A path has one spelling in Tollgate, so that router, counters and backends read it the same way.

import { hiddenMark } from '../platform/hidden-marks.ts'

// Without percent-encoding: segments of `pchar` (RFC 3986, 3.3) but ";", at which some servers end a segment. None is
// empty but the last, and none is "." or "..".
const plainPath = /^(?=\/)(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9\-._~!$&'()*+,=:@]+)*\/?$/
const encodedPath =
  /^(?=\/)(?:\/(?!\.{1,2}(?:\/|$))(?:[A-Za-z0-9\-._~!$&'()*+,=:@]|%[0-9A-F]{2})+)*\/?$/
const legalText = /^(?:[A-Za-z0-9\-._~!$&'()*+,=:@]|%[0-9A-Fa-f]{2})*$/

/** What servers read in two ways once it is decoded: delimiters of paths, control characters, and hidden marks. */
const ambiguous = new RegExp(`[/\\\\;?#%\\p{Cc}\\p{Noncharacter_Code_Point}]|${hiddenMark}`, 'u')
/**
 * What some servers turn into delimiters, dot segments or nothing: a full-width
 * slash, marks that old code pages have in the place of one, and white space at an end.
 */
const ambiguousOnceFolded = /[/\\;?#%\u2044\u2215\u00a5\u20a9]|^\.{1,2}$|^\s|\s$/

/** Characters that `encodeURIComponent` encodes although a segment may hold them. */
const needlesslyEncoded = /%(?:24|26|2B|2C|3A|3D|40)/g

/**
 * Gives a path its one spelling: what a segment may hold as it is, is not
 * encoded, and everything else is percent-encoded UTF-8 in capital letters.
 *
 * @returns undefined for a text that is not a path, or that servers could read in two ways
 */
export function canonicalPath(path: string): string | undefined {
  if (plainPath.test(path)) return path
  if (!path.startsWith('/') || !path.includes('%')) return undefined
  const segments: string[] = []
  for (const text of path.split('/')) {
    const segment = canonicalText(text)
    if (segment === undefined) return undefined
    segments.push(segment)
  }
  const canonical = segments.join('/')
  return encodedPath.test(canonical) ? canonical : undefined
}

/** The same for a part of a segment. */
function canonicalText(text: string): string | undefined {
  if (!legalText.test(text)) return undefined
  if (!text.includes('%')) return text
  try {
    const decoded = decodeURIComponent(text)
    if (ambiguous.test(decoded) || ambiguousOnceFolded.test(decoded.normalize('NFKC'))) {
      return undefined
    }
    return encoded(decoded)
  } catch {
    // Not UTF-8.
    return undefined
  }
}

/**
 * The spelling of a literal text of a document's path, which may contain
 * characters that a path has to encode.
 *
 * @returns undefined if no path can contain it
 */
export function canonicalLiteral(text: string): string | undefined {
  if (!text.isWellFormed()) return undefined
  return canonicalText(text.replaceAll(/[^%]+/g, encoded))
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(needlesslyEncoded, decodeURIComponent)
}

/** With the digits of every percent-encoding in capital letters. */
export function capitalised(segment: string): string {
  return segment.replaceAll(/%[0-9A-Fa-f]{2}/g, (octet) => octet.toUpperCase())
}
