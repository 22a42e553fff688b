import type { ApiVersion, OpenApiDocument } from '../../catalogue/catalogue.ts'
import type { Words } from '../../messages/format.ts'
import type { PublishedVersion } from '../api/schemas/catalogue.ts'
import { aboutOf } from '../documents/document-nodes.ts'
import { partsOf } from '../documents/markup-blocks.ts'
import { documentHtml, escapeHtml } from './escape-html.ts'
import { operationOutline, textHtml } from './operation-outline.ts'
import { isLongReference, operationFragment } from './page-paths.ts'

export interface VersionOutlineOptions {
  readonly version: PublishedVersion
  readonly published: ApiVersion
  /** The document of the version as developers get it, in the language of {@link words}. */
  readonly document: OpenApiDocument
  readonly words: Words
}

/** Characters of all operations before the list. */
const charactersMax = 128_000

/**
 * What a reader of a version has before any script, as HTML: the beginning of its
 * description, its operations by subject, as links, and before them what each does and
 * takes, which shows while the address names it. If that is too long, it lacks the members of bodies; of a long
 * reference, there are only the links. The script and the OpenAPI document come five
 * seconds later at 50 KB/s.
 */
export function versionOutline(options: VersionOutlineOptions): string {
  const { version, document, words } = options
  const { language } = words
  const described = isLongReference(version)
    ? ''
    : (operationOutlines(options, true) ?? operationOutlines(options, false) ?? '')
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
  const { beginning } = partsOf(aboutOf(document).description)
  const about = `<div class="sk-about">${textHtml(beginning, words)}</div>`
  return `${described}${about}<div class="sk-list">${lists.join('')}</div>`
}

/** What each operation does and takes, with or without the members of bodies; undefined if it is too long. */
function operationOutlines(
  { version, published, document, words }: VersionOutlineOptions,
  hasMembers: boolean,
): string | undefined {
  let html = ''
  for (const operation of version.operations) {
    const template = published.operations.find(({ id }) => id === operation.id)?.template ?? ''
    html += operationOutline({ operation, template, document, words, hasMembers })
    if (html.length > charactersMax) return undefined
  }
  return html
}
