import type { ApiVersion, Json, JsonObject, OpenApiDocument } from '../../catalogue/catalogue.ts'
import { textsOf } from '../../catalogue/in-language.ts'
import { isJsonObject } from '../../catalogue/json.ts'
import type { Language } from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import { operationFragment } from '../pages/page-paths.ts'
import { samplesOf } from '../samples/sample-languages.ts'
import { type SampleFlow, sampleFlows } from './sample-flows.ts'
import { sampleOfStep } from './sample-of-step.ts'

/**
 * Adds to a document what a reader can run: `x-codeSamples` at every operation
 * of its flows, and the order of the flows in its description. A document
 * without `x-sample-flows` stays unchanged.
 *
 * @param document of this version, as served otherwise
 * @param gatewayUrl origin of the gateway, as developers reach it
 */
export function withSamples(
  document: OpenApiDocument,
  published: ApiVersion,
  gatewayUrl: string,
): OpenApiDocument {
  const flows = sampleFlows(document, published.operations)
  if (flows.length === 0) return document
  const paths: Record<string, Json | undefined> = { ...document.paths }
  for (const flow of flows) {
    for (const [index, { operation }] of flow.steps.entries()) {
      const sample = sampleOfStep({ document, gatewayUrl, flow, index })
      const samples = samplesOf(sample)
      const { template, method } = operation
      paths[template] = withMember(paths[template], method.toLowerCase(), samples)
    }
  }
  return { ...document, info: withOrder(document.info, published, flows), paths }
}

function withMember(pathItem: Json | undefined, method: string, samples: Json): Json {
  if (!isJsonObject(pathItem)) throw new Error('a path of the catalogue is not in its document')
  const operation = pathItem[method]
  if (!isJsonObject(operation)) throw new Error('an operation is not in its document')
  return { ...pathItem, [method]: { ...operation, 'x-codeSamples': samples } }
}

function withOrder(
  info: JsonObject,
  published: ApiVersion,
  flows: readonly SampleFlow[],
): JsonObject {
  const { description } = info
  const text = orderOfSamples(published, flows, 'en')
  return {
    ...info,
    description: typeof description === 'string' ? `${description.trimEnd()}\n\n${text}` : text,
  }
}

/** The description of a version in a language, with the order of its samples; undefined without a translation. */
export function descriptionIn(
  document: OpenApiDocument,
  published: ApiVersion,
  language: Language,
): string | undefined {
  const { description } = textsOf(published, language)
  if (description === undefined) return undefined
  const flows = sampleFlows(document, published.operations)
  if (flows.length === 0) return description
  return `${description}\n\n${orderOfSamples(published, flows, language)}`
}

/** The links lead within the reference, which shows this text. */
function orderOfSamples(
  published: ApiVersion,
  flows: readonly SampleFlow[],
  language: Language,
): string {
  const { t } = wordsOf(language)
  const texts = textsOf(published, language)
  const lists = flows.map(({ title, steps }) => {
    const rows = steps.map(({ operation, tag }, index) => {
      const place = operationFragment(tag, operation.id)
      return `${index + 1}. [${texts.operation(operation)}](${place})`
    })
    return `**${texts.flow(title)}**\n\n${rows.join('\n')}`
  })
  return `## ${t('samples.title')}

${t('samples.lead')}

\`\`\`sh
export API_KEY=tg_…
\`\`\`

${t('samples.order')}

${lists.join('\n\n')}
`
}
