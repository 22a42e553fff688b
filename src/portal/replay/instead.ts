import type { ApiVersion, Operation } from '../../catalogue/catalogue.ts'
import { operationObject } from '../../catalogue/documents/operation-object.ts'
import { shapeOf } from '../../catalogue/path-template.ts'

/** What may take the place of an operation that a version lacks. */
export interface Instead {
  /** Operations of the new version, the best first; may be empty. */
  readonly operations: readonly Operation[]
  /** The description of the operation in the document of the old version; it may say what replaces it. */
  readonly note: string | null
}

const operationsMax = 3

/**
 * Finds what to call instead. An operation with the same id has only moved, so it is the only answer. Otherwise these
 * are the operations with the same method whose paths share the beginning with the old one, at least half its length, and
 * the other methods of the same path.
 */
export function findInstead(from: ApiVersion, gone: Operation, to: ApiVersion): Instead {
  const moved = to.operations.find(({ id }) => id === gone.id)
  if (moved !== undefined) return { operations: [moved], note: null }
  const object = operationObject(from.document.read(), gone.template, gone.method)?.object.value
  const description = object?.['description']
  const wanted = shapesOf(gone)
  const near = to.operations
    .map((operation) => ({ operation, shared: sharedWith(wanted, shapesOf(operation)) }))
    .filter(({ operation, shared }) =>
      operation.method === gone.method
        ? shared * 2 >= wanted.length
        : shared === wanted.length && shapesOf(operation).length === shared,
    )
    .toSorted((a, b) => b.shared - a.shared)
  return {
    operations: near.slice(0, operationsMax).map(({ operation }) => operation),
    note: typeof description === 'string' ? description.trim() : null,
  }
}

function shapesOf({ segments }: Operation): readonly string[] {
  return segments.map(shapeOf)
}

/** Number of first segments that are the same. */
function sharedWith(wanted: readonly string[], segments: readonly string[]): number {
  const differs = wanted.findIndex((segment, at) => segments[at] !== segment)
  return differs === -1 ? wanted.length : differs
}
