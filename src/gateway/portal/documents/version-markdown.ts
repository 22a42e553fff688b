import type { ApiVersion, JsonObject, Operation, Plan } from '../../../catalogue/catalogue.ts'
import { operationObject, type Parameter } from '../../../catalogue/operation-object.ts'
import type { Located } from '../../../catalogue/reference.ts'
import { shownWindow } from '../../../catalogue/window-length.ts'
import { windowText } from '../schemas/window-text.ts'

export interface VersionMarkdownOptions {
  readonly published: ApiVersion
  /** The document of the version as developers get it. */
  readonly document: ApiVersion['document']
  /** The plans that include the version. */
  readonly plans: readonly Plan[]
  /** Origin of the portal. */
  readonly portalUrl: string
}

/** Writes a version of an API as one page of Markdown: its limits, and each operation with parameters and answers. */
export function versionMarkdown(options: VersionMarkdownOptions): string {
  const { published, document, plans, portalUrl } = options
  const { api, version, title, lifecycle, operations } = published
  const notes = [
    lifecycle.deprecated === undefined ? '' : `Deprecated since ${lifecycle.deprecated}.`,
    lifecycle.sunset === undefined ? '' : `Ends on ${lifecycle.sunset}.`,
    lifecycle.successor === undefined ? '' : `Move to ${lifecycle.successor}.`,
  ].filter((note) => note !== '')
  const limits = plans.flatMap((plan) =>
    plan.limits.map(({ calls, windowLength, scope }) => {
      const subject = scope === 'operation' ? 'to each operation' : 'in total'
      return `- ${plan.title}: ${calls} calls ${subject} per ${windowText(shownWindow(windowLength))}`
    }),
  )
  const { description } = document.info
  const sections = [
    `# ${title} ${version}`,
    ...(notes.length === 0 ? [] : [notes.join(' ')]),
    // Links of this text lead within the reference and mean nothing here.
    typeof description === 'string' ? description.split('\n## Samples')[0]?.trim() : '',
    `OpenAPI document with samples: ${portalUrl}/api/apis/${api}/${version}/openapi.json`,
    '## Limits',
    limits.length === 0 ? 'No plan includes this version.' : limits.join('\n'),
    '## Operations',
    ...operations.map((operation) => operationSection(operation, document)),
  ]
  return `${sections.join('\n\n')}\n`
}

function operationSection(operation: Operation, document: JsonObject): string {
  const { id, method, path, template, summary } = operation
  const described = operationObject(document, template, method)
  const { parameters = [], responses = [], object } = described ?? {}
  const description = object?.value['description']
  return [
    `### ${summary}`,
    `\`${method} ${path}\` (\`${id}\`)`,
    ...(typeof description === 'string' ? [description.trim()] : []),
    ...(parameters.length === 0
      ? []
      : [
          [
            '| Parameter | In | Required | Meaning |',
            '|---|---|---|---|',
            ...parameters.map(parameterRow),
          ].join('\n'),
        ]),
    ['| Status | Meaning |', '|---|---|', ...responses.map(responseRow)].join('\n'),
  ].join('\n\n')
}

function parameterRow({ name, in: place, isRequired, object }: Parameter): string {
  return `| \`${name}\` | ${place} | ${isRequired ? 'yes' : 'no'} | ${cell(object)} |`
}

function responseRow([status, response]: readonly [string, Located]): string {
  return `| ${status} | ${cell(response)} |`
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
