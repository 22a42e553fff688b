import { escapeHtml, page } from './page.ts'
import type { PublishedApis, PublishedVersion } from './published-apis.ts'

/** The first page: every API and version with its operations and a link to its document. */
export function landingPage({ items }: PublishedApis): string {
  const sections = items.map(
    ({ api, title, versions }) =>
      `<h2>${escapeHtml(title)}</h2>\n${versions.map((version) => versionSection(api, version)).join('\n')}`,
  )
  return page('APIs of the bank', sections.join('\n'))
}

function versionSection(api: string, published: PublishedVersion): string {
  const { version, lifecycle, operations } = published
  const notes = [
    lifecycle.deprecated === undefined ? '' : `deprecated since ${lifecycle.deprecated}`,
    lifecycle.sunset === undefined ? '' : `ends on ${lifecycle.sunset}`,
    lifecycle.successor === undefined ? '' : `replaced by ${lifecycle.successor}`,
  ].filter((note) => note !== '')
  const rows = operations.map(
    ({ method, path, summary }) =>
      `<tr><td>${method}</td><td><code>${escapeHtml(path)}</code></td><td>${escapeHtml(summary)}</td></tr>`,
  )
  return `<h3>${escapeHtml(`${api} ${version}`)}</h3>
<p>${notes.length === 0 ? '' : `${escapeHtml(notes.join(', '))}. `}<a href="/api/apis/${api}/${version}/openapi.json">OpenAPI document</a></p>
<table><thead><tr><th>Method</th><th>Path</th><th>Purpose</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`
}
