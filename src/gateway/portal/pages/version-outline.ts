import type { Language } from '../../../messages/language.ts'
import { operationFragment } from '../page-paths.ts'
import type { PublishedVersion } from '../schemas/catalogue.ts'
import { documentHtml, escapeHtml } from './escape-html.ts'

/** The operations of a version by subject, as HTML: links to their descriptions, which a reader has before any script. */
export function versionOutline(version: PublishedVersion, language: Language): string {
  const groups = Map.groupBy(version.operations, ({ tag }) => tag)
  const lists = [...groups].map(([tag, operations]) => {
    const title = version.tags.find(({ name }) => name === tag)?.title ?? tag
    const rows = operations.map(
      ({ id, method, path, summary }) =>
        `<li><a href="${escapeHtml(operationFragment(tag, id))}"><b>${method}</b> ${documentHtml(summary, language)} <code dir="ltr">${escapeHtml(path)}</code></a></li>`,
    )
    return `<h2>${documentHtml(title, language)}</h2><ul>${rows.join('')}</ul>`
  })
  return `<div class="sk-list">${lists.join('')}</div>`
}
