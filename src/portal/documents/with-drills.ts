import type { ApiVersion, Json, JsonObject, OpenApiDocument } from '../../catalogue/catalogue.ts'
import { isJsonArray, isJsonObject } from '../../catalogue/json.ts'
import type { Language } from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import { type Drill, drillHeader, drills, drillsOf } from '../../platform/http/drills.ts'

/** Names of the two parameters among the components: an operation that takes a consent has one drill more. */
const names = { all: 'SandboxDrillWithConsent', others: 'SandboxDrill' } as const

/**
 * Adds the header `Sandbox-Drill` to every operation of a document, with the
 * drills of that operation. For documents of a portal with a sandbox.
 */
export function withDrills(
  document: OpenApiDocument,
  { operations }: Pick<ApiVersion, 'operations'>,
): OpenApiDocument {
  const paths: Record<string, Json | undefined> = { ...document.paths }
  const parameters: Record<string, Json | undefined> = {}
  for (const { template, method, declared } of operations) {
    const offered = drillsOf(declared)
    const name = offered.length === drills.length ? names.all : names.others
    parameters[name] = drillParameter(offered)
    paths[template] = withParameter(paths[template], method.toLowerCase(), name)
  }
  const { components } = document
  const known = isJsonObject(components) ? components : {}
  const others = isJsonObject(known['parameters']) ? known['parameters'] : {}
  return {
    ...document,
    components: { ...known, parameters: { ...others, ...parameters } },
    paths,
  }
}

/** The description of the header in a language, for each name of a parameter that a translation may have. */
export function drillTexts(language: Language): Readonly<Record<string, string>> {
  return { [drillHeader]: wordsOf(language).t('drill.header') }
}

function drillParameter(offered: readonly Drill[]): JsonObject {
  return {
    name: drillHeader,
    in: 'header',
    required: false,
    description: wordsOf('en').t('drill.header'),
    schema: { type: 'string', enum: [...offered] },
  }
}

function withParameter(pathItem: Json | undefined, method: string, name: string): Json {
  const operation = isJsonObject(pathItem) ? pathItem[method] : undefined
  if (!isJsonObject(pathItem) || !isJsonObject(operation)) {
    throw new Error('an operation of the catalogue is not in its document')
  }
  const own = isJsonArray(operation['parameters']) ? operation['parameters'] : []
  const parameters = [...own, { $ref: `#/components/parameters/${name}` }]
  return { ...pathItem, [method]: { ...operation, parameters } }
}
