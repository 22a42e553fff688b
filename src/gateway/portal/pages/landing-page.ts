import type { PublishedApis, PublishedLimit, PublishedVersion } from '../schemas/catalogue.ts'
import { windowText } from '../schemas/window-text.ts'
import { escapeHtml } from './page.ts'

const introduction =
  '<p>Send your API key in the header <code>X-API-Key</code> with every call. A key belongs to an application and works for the API versions that the application is subscribed to. The header <code>RateLimit</code> of every response tells you how many calls you have left. To sign up and manage keys, turn on JavaScript.</p>'

/** The landing page for readers without JavaScript, as HTML: every API and version with its operations and a link to its document. */
export function landingContent({ items }: PublishedApis): string {
  const sections = items.map(
    ({ api, title, versions }) =>
      `<h2>${escapeHtml(title)}</h2>\n${versions.map((version) => versionSection(api, version)).join('\n')}`,
  )
  return `<h1>APIs of the bank</h1>\n${introduction}\n${sections.join('\n')}`
}

function versionSection(api: string, published: PublishedVersion): string {
  const { version, lifecycle, operations, plans } = published
  const notes = [
    lifecycle.deprecated === undefined ? '' : `deprecated since ${lifecycle.deprecated}`,
    lifecycle.sunset === undefined ? '' : `ends on ${lifecycle.sunset}`,
    lifecycle.successor === undefined ? '' : `replaced by ${lifecycle.successor}`,
  ].filter((note) => note !== '')
  const terms = plans.flatMap(({ title, limits }) =>
    limits.map((limit) => `${title}: ${limitText(limit)}`),
  )
  const rows = operations.map(
    ({ method, path, summary }) =>
      `<tr><td>${method}</td><td><code>${escapeHtml(path)}</code></td><td>${escapeHtml(summary)}</td></tr>`,
  )
  return `<h3>${escapeHtml(`${api} ${version}`)}</h3>
<p>${notes.length === 0 ? '' : `${escapeHtml(notes.join(', '))}. `}<a href="/api/apis/${api}/${version}/openapi.json">OpenAPI document</a></p>
${terms.map((term) => `<p>${escapeHtml(term)}.</p>`).join('\n')}
<table><thead><tr><th>Method</th><th>Path</th><th>Purpose</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`
}

function limitText(limit: PublishedLimit): string {
  const subject = limit.scope === 'operation' ? 'to each operation' : 'in total'
  return `${limit.calls} calls ${subject} per ${windowText(limit)}`
}
