import { escapeHtml } from './escape-html.ts'

/** A status line and header fields as HTML, with their names apart from their values. */
export function headHtml(head: string): string {
  const [statusLine = '', ...fields] = head.split('\n')
  const rows = fields.map((field) => {
    const colon = field.indexOf(':')
    return `<i>${escapeHtml(field.slice(0, colon + 1))}</i>${escapeHtml(field.slice(colon + 1))}`
  })
  return [`<b>${escapeHtml(statusLine)}</b>`, ...rows].join('\n')
}

const token =
  /(?<n>"(?:[^"\\]|\\.)*"(?=:))|(?<t>"(?:[^"\\]|\\.)*")|(?<v>-?\d[\d.eE+-]*|true|false|null)/g

/** JSON as HTML, with names, texts and other values in the colours of code. */
export function jsonHtml(source: string): string {
  let html = ''
  let end = 0
  for (const match of source.matchAll(token)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? []
    html += `${escapeHtml(source.slice(end, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`
    end = match.index + match[0].length
  }
  return html + escapeHtml(source.slice(end))
}
