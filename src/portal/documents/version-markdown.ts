import type {
  ApiVersion,
  JsonObject,
  OpenApiDocument,
  Operation,
  Plan,
} from '../../catalogue/catalogue.ts'
import { operationObject } from '../../catalogue/documents/operation-object.ts'
import type { Located } from '../../catalogue/documents/reference.ts'
import { textsOf } from '../../catalogue/in-language.ts'
import { shownWindow } from '../../catalogue/window-length.ts'
import type { Words } from '../../messages/format.ts'
import type { Language } from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import { limitWords } from '../api/schemas/window-words.ts'

export interface VersionMarkdownOptions {
  readonly published: ApiVersion
  /** The document of the version as developers get it in {@link language}. */
  readonly document: OpenApiDocument
  readonly language: Language
  /** The plans that include the version. */
  readonly plans: readonly Plan[]
  /** Origin of the portal. */
  readonly portalUrl: string
}

/** Writes a version of an API as one page of Markdown: its limits, and each operation with parameters and answers. */
export function versionMarkdown(options: VersionMarkdownOptions): string {
  const { published, document, plans, language, portalUrl } = options
  const { api, version, lifecycle, operations } = published
  const { deprecated, sunset, successor } = lifecycle
  const words = wordsOf(language)
  const { t } = words
  const { title, ...texts } = textsOf(published, language)
  const notes = [
    deprecated === undefined ? '' : t('markdown.deprecated', { day: deprecated }),
    sunset === undefined ? '' : t('markdown.ends', { day: sunset }),
    successor === undefined ? '' : t('markdown.successor', { version: successor }),
  ].filter((note) => note !== '')
  const limits = plans.flatMap((plan) =>
    plan.limits.map(({ windowLength, ...limit }) => {
      const shown = limitWords({ ...limit, ...shownWindow(windowLength) }, words)
      return `- ${t('markdown.plan', { plan: plan.translations?.[language]?.title ?? plan.title, limit: shown })}`
    }),
  )
  // The samples of the served document link within the reference and mean nothing here.
  const own = published.document.head.info['description']
  const description = texts.description ?? (typeof own === 'string' ? own.trim() : '')
  const sections = [
    `# ${title} ${version}`,
    ...(notes.length === 0 ? [] : [notes.join(' ')]),
    description,
    t('markdown.document', { address: `${portalUrl}/api/apis/${api}/${version}/openapi.json` }),
    t('markdown.key', { keyHeader: '`X-API-Key`' }),
    `## ${t('markdown.limits')}`,
    limits.length === 0 ? t('markdown.noPlan') : limits.join('\n'),
    `## ${t('markdown.operations')}`,
    ...operations.map((operation) => operationSection(operation, document, words)),
  ]
  return `${sections.join('\n\n')}\n`
}

function operationSection(operation: Operation, document: JsonObject, { t }: Words): string {
  const { id, method, path, template } = operation
  const described = operationObject(document, template, method)
  const { parameters = [], responses = [], object } = described ?? {}
  const { summary, description } = object?.value ?? {}
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    `### ${typeof summary === 'string' ? summary : operation.summary || id}`,
    `\`${method} ${path}\` (\`${id}\`)`,
    ...(typeof description === 'string' ? [description.trim()] : []),
    ...(parameters.length === 0
      ? []
      : [
          [
            row([
              t('markdown.parameter'),
              t('markdown.place'),
              t('markdown.required'),
              t('markdown.meaning'),
            ]),
            '|---|---|---|---|',
            ...parameters.map(({ name, in: place, isRequired, object }) => {
              const required = t(isRequired ? 'markdown.yes' : 'markdown.no')
              return row([`\`${name}\``, place, required, cell(object)])
            }),
          ].join('\n'),
        ]),
    [
      row([t('markdown.status'), t('markdown.meaning')]),
      '|---|---|',
      ...responses.map(([status, response]) => row([status, cell(response)])),
    ].join('\n'),
  ].join('\n\n')
}

/** A description in one line of a table. */
function cell({ value }: Located): string {
  const description = typeof value['description'] === 'string' ? value['description'] : ''
  // A table cannot hold another one.
  const [text = ''] = description.split('\n|')
  return text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
}
