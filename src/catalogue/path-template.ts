import type { Segment } from './catalogue.ts'

/**
 * Reads a path of a document, `/accounts/{account-id}`, as its segments. A
 * segment is literal (unreserved characters of RFC 3986, not `.` or `..`) or
 * exactly one parameter.
 *
 * @returns the first segment that is neither, as written
 */
export function parseTemplate(template: string): readonly Segment[] | string {
  if (!template.startsWith('/')) return template
  const segments: Segment[] = []
  for (const text of template.slice(1).split('/')) {
    const name = /^\{([A-Za-z][A-Za-z0-9_-]{0,63})\}$/.exec(text)?.[1]
    if (name !== undefined) segments.push({ kind: 'parameter', name })
    else if (/^[A-Za-z0-9._~-]+$/.test(text) && text !== '.' && text !== '..') {
      segments.push({ kind: 'literal', text })
    } else {
      return text
    }
  }
  return segments
}
