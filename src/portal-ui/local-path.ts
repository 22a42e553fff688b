const here = 'http://here.invalid'

/**
 * The path of this portal to open after sign-in; undefined for anything
 * that could lead elsewhere (`//evil.example`, `/\evil.example`,
 * `https:evil.example`, `javascript:…`) or back to sign-in itself. The URL parser
 * writes the result, so a browser reads it the same way.
 */
export function localPath(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined) return undefined
  // Parsers drop tabs and line ends and take backslashes for slashes.
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined
  const url = URL.parse(text, here)
  if (url === null || url.origin !== here) return undefined
  // Segments such as "/./" may collapse into a second leading slash.
  if (url.pathname.startsWith('//') || url.pathname === '/sign-in') return undefined
  return `${url.pathname}${url.search}${url.hash}`
}
