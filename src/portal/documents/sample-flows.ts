import type { JsonObject, Operation } from '../../catalogue/catalogue.ts'
import { operationObject } from '../../catalogue/documents/operation-object.ts'
import { isJsonObject, objectsOf, stringsOf } from '../../catalogue/json.ts'

/** Samples that lead from one to the next: `x-sample-flows` of a document. */
export interface SampleFlow {
  readonly title: string
  /** Each with what `x-sample` of its operation says. */
  readonly steps: readonly SampleStep[]
}

/** One operation in a flow. */
export interface SampleStep {
  readonly operation: Operation
  /** The first tag of the operation; empty when it has none. */
  readonly tag: string
  /** Names of the examples that are sent as bodies, one after another; empty for the first example. */
  readonly bodies: readonly string[]
  /** Optional parameters that the sample sends with their examples. */
  readonly sends: readonly string[]
  /** Members of the body that must be new in every run, with what they begin with. */
  readonly fresh: ReadonlyMap<string, string>
  /** Variables for later steps, with the JSON pointer of their value in the answer; of a link the last segment counts. */
  readonly gives: ReadonlyMap<string, string>
}

/** Reads the flows of a document, in its order. Empty when it has none; operations it does not have are left out. */
export function sampleFlows(
  document: JsonObject,
  operations: readonly Operation[],
): readonly SampleFlow[] {
  return objectsOf(document['x-sample-flows']).map(({ title, operations: ids }) => ({
    title: typeof title === 'string' ? title : '',
    steps: stringsOf(ids).flatMap((id) => {
      const operation = operations.find((known) => known.id === id)
      return operation === undefined ? [] : [sampleStep(document, operation)]
    }),
  }))
}

function sampleStep(document: JsonObject, operation: Operation): SampleStep {
  const object = operationObject(document, operation.template, operation.method)
  const extension = object?.object.value['x-sample']
  const [tag = ''] = stringsOf(object?.object.value['tags'])
  const sample = isJsonObject(extension) ? extension : {}
  return {
    operation,
    tag,
    bodies: stringsOf(sample['bodies']),
    sends: stringsOf(sample['sends']),
    fresh: textMembers(sample['fresh']),
    gives: textMembers(sample['gives']),
  }
}

function textMembers(value: JsonObject[string]): ReadonlyMap<string, string> {
  const members = isJsonObject(value) ? Object.entries(value) : []
  return new Map(
    members.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  )
}
