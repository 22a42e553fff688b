import type { Words } from '../../messages/format.ts'
import type { PublishedApis } from '../api/schemas/catalogue.ts'
import { documentHtml, escapeHtml } from './escape-html.ts'

/** What a reader of the first page has before any script, as HTML: each API with links to its versions. */
export function apisOutline({ items }: PublishedApis, { language, t }: Words): string {
  const lists = items.map(({ api, title, versions }) => {
    const rows = versions
      .toReversed()
      .map(
        ({ version, title: name, operations }) =>
          `<li><a href="${escapeHtml(`/apis/${api}/${version}`)}"><b>${escapeHtml(version)}</b> ${documentHtml(name, language)} <span>${t('count.operation', { count: operations.length })}</span></a></li>`,
      )
    return `<h2>${documentHtml(title, language)}</h2><ul>${rows.join('')}</ul>`
  })
  return `<div class="sk-in sk-list">${lists.join('')}</div>`
}
