import type { JsonObject } from '../catalogue.ts'
import { isJsonObject } from '../json.ts'
import type { Sources } from '../source.ts'
import { checkFields } from './check-fields.ts'
import { checkOperations } from './check-operations.ts'
import { checkReferences, checkResponseSchemas } from './check-schemas.ts'
import { checkStructure } from './check-structure.ts'
import { operationObject } from './operation-object.ts'
import type { ReadOperation } from './read-operations.ts'
import { upgraded } from './upgrade.ts'

export interface InspectedDocument {
  /** As its file has it, in one piece. */
  readonly source: JsonObject
  readonly operations: readonly ReadOperation[]
  readonly backend: string | undefined
}

export interface InspectOptions {
  /** Checks the schemas and examples of one document after the other, which may share some. */
  readonly checkExamples: (document: JsonObject) => void
  /** Whether schemas of responses must be closed, for a document whose backend is tested against them. */
  readonly isStrict: boolean
}

/**
 * Warns of everything that is wrong with a document and does not keep it from
 * being served.
 */
export function inspectDocument(
  sources: Sources,
  { source, operations, backend }: InspectedDocument,
  { checkExamples, isStrict }: InspectOptions,
): void {
  checkStructure(sources, source)
  const document = upgraded(source)
  adoptPlaces(sources, document, source)
  checkOperations(sources, document, operations)
  checkFields(sources, { document, operations, backend })
  checkReferences(sources, document)
  if (isStrict) {
    const objects = operations.flatMap(
      ({ template, method }) => operationObject(document, template, method) ?? [],
    )
    checkResponseSchemas(sources, document, objects)
  }
  checkExamples(document)
}

/** Gives the parts of a converted document the places that the same members have in the original. */
function adoptPlaces(sources: Sources, copy: object, original: object): void {
  if (copy === original) return
  sources.adopt(copy, original)
  for (const [name, member] of Object.entries(copy)) {
    if (typeof member !== 'object' || member === null) continue
    const same: unknown = Object.hasOwn(original, name) ? Reflect.get(original, name) : undefined
    adoptPlaces(sources, member, isJsonObject(same) || Array.isArray(same) ? same : original)
  }
}
