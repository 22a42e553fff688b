import type { Guide } from '../guides/guides.ts'
import { escapeHtml } from './escape-html.ts'

/** A guide for readers without JavaScript, as HTML; of each sample it has the one for curl. */
export function guideContent({ title, description, parts }: Guide): string {
  const body = parts.map((part) => {
    if (part.kind === 'html') return part.html
    const source = part.kind === 'code' ? part.source : (part.samples[0]?.source ?? '')
    return `<pre dir="ltr"><code>${escapeHtml(source)}</code></pre>`
  })
  return `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(description)}</p>\n${body.join('\n')}`
}
