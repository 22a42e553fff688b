import type { ApiVersion, OpenApiDocument } from '../../catalogue/catalogue.ts'
import type { Words } from '../../messages/format.ts'
import type { PublishedVersion } from '../api/schemas/catalogue.ts'
import { documentHtml, escapeHtml } from './escape-html.ts'
import { operationOutline } from './operation-outline.ts'
import { isLongReference, operationFragment } from './page-paths.ts'

export interface VersionOutlineOptions {
  readonly version: PublishedVersion
  readonly published: ApiVersion
  /** The document of the version as developers get it, in the language of {@link words}. */
  readonly document: OpenApiDocument
  readonly words: Words
}

/**
 * What a reader of a version has before any script, as HTML: its operations by
 * subject, as links, and before them what each does and takes, which shows while the
 * address names it; of a long reference, only the links. The script and the OpenAPI
 * document come five seconds later at 50 KB/s.
 */
export function versionOutline(options: VersionOutlineOptions): string {
  const { version, published, document, words } = options
  const { language } = words
  const described = (isLongReference(version) ? [] : version.operations).map((operation) => {
    const template = published.operations.find(({ id }) => id === operation.id)?.template ?? ''
    return operationOutline({ operation, template, document, words })
  })
  const groups = Map.groupBy(version.operations, ({ tag }) => tag)
  const lists = [...groups].map(([tag, operations]) => {
    const title = version.tags.find(({ name }) => name === tag)?.title ?? tag
    const rows = operations.map(
      ({ id, method, path, summary }) =>
        `<li><a href="${escapeHtml(operationFragment(tag, id))}"><b>${method}</b> ${documentHtml(summary, language)} <code dir="ltr">${escapeHtml(path)}</code></a></li>`,
    )
    const heading = title === '' ? '' : `<h2>${documentHtml(title, language)}</h2>`
    return `${heading}<ul>${rows.join('')}</ul>`
  })
  return `${described.join('')}<div class="sk-list">${lists.join('')}</div>`
}
