import { wordsOf } from '../../../messages/words.ts'
import { renderMarkdown } from '../../guides/render-markdown.ts'
import { termsPath } from '../../pages/brand-facts.ts'
import { escapeHtml } from '../../pages/escape-html.ts'
import { plainPage } from '../../pages/page.ts'
import { type LookServices, plainLook } from '../../pages/page-look.ts'
import type { PortalApp } from '../../portal-app.ts'

/** The terms that the configuration holds as Markdown, as a page that needs no script. */
export function registerTermsPage(app: PortalApp, services: LookServices): void {
  app.get(termsPath, (_request, reply) => {
    const { terms } = services.catalogue().brand
    if (terms?.texts === undefined) return reply.callNotFound()
    const look = plainLook(services, reply)
    const { language } = look
    const { t } = wordsOf(language)
    const { title, description, parts } = renderMarkdown(terms.texts[language])
    const text = parts.map((part) =>
      part.kind === 'html' ? part.html : `<pre><code>${escapeHtml(part.source)}</code></pre>`,
    )
    const body = `<p>${t('terms.version', { version: escapeHtml(terms.version) })}</p>
<p>${escapeHtml(description)}</p>
${text.join('\n')}`
    return reply
      .headers({ 'content-type': 'text/html; charset=utf-8', 'content-language': language })
      .send(plainPage({ title: title || t('shell.terms'), body, look }))
  })
}
