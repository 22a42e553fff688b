import type { ApiVersion, Json, JsonObject, OpenApiDocument } from '../../../catalogue/catalogue.ts'
import { isJsonObject } from '../../../catalogue/json.ts'
import { operationFragment } from '../page-paths.ts'
import { sampleLanguages } from '../samples/sample-languages.ts'
import { type SampleFlow, sampleFlows } from './sample-flows.ts'
import { sampleOfStep } from './sample-of-step.ts'

/**
 * Adds to a document what a reader can run: `x-codeSamples` at every operation
 * of its flows, and the order of the flows in its description. A document
 * without `x-sample-flows` stays as it is.
 *
 * @param document of this version, as it is served otherwise
 * @param gatewayUrl origin of the gateway, as developers reach it
 */
export function withSamples(
  document: OpenApiDocument,
  { operations }: Pick<ApiVersion, 'operations'>,
  gatewayUrl: string,
): OpenApiDocument {
  const flows = sampleFlows(document, operations)
  if (flows.length === 0) return document
  const paths: Record<string, Json | undefined> = { ...document.paths }
  for (const flow of flows) {
    for (const [index, { operation }] of flow.steps.entries()) {
      const sample = sampleOfStep({ document, gatewayUrl, flow, index })
      const samples = sampleLanguages.map(({ lang, label, write }) => ({
        lang,
        label,
        source: write(sample),
      }))
      const { template, method } = operation
      paths[template] = withMember(paths[template], method.toLowerCase(), samples)
    }
  }
  return { ...document, info: withOrder(document.info, flows), paths }
}

function withMember(pathItem: Json | undefined, method: string, samples: Json): Json {
  if (!isJsonObject(pathItem)) throw new Error('a path of the catalogue is not in its document')
  const operation = pathItem[method]
  if (!isJsonObject(operation)) throw new Error('an operation is not in its document')
  return { ...pathItem, [method]: { ...operation, 'x-codeSamples': samples } }
}

/** The links lead within the reference, which shows this text. */
function withOrder(info: JsonObject, flows: readonly SampleFlow[]): JsonObject {
  const { description } = info
  const lists = flows.map(({ title, steps }) => {
    const rows = steps.map(({ operation, tag }, index) => {
      const place = operationFragment(tag, operation.id)
      return `${index + 1}. [${operation.summary}](${place})`
    })
    return `**${title}**\n\n${rows.join('\n')}`
  })
  const text = `## Samples

Every operation has samples for curl, Node.js (\`fetch\`) and Python (\`requests\`). Set your API key once; then every
sample runs in the sandbox unchanged:

\`\`\`sh
export API_KEY=tg_…
\`\`\`

Run the samples in this order. A sample that needs an id names the response that contains it, and a sample whose
response later steps need lists the values to keep:

${lists.join('\n\n')}`
  return {
    ...info,
    description: typeof description === 'string' ? `${description.trimEnd()}\n\n${text}\n` : text,
  }
}
