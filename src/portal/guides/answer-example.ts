import type { OpenApiDocument, Operation } from '../../catalogue/catalogue.ts'
import { operationObject } from '../../catalogue/documents/operation-object.ts'
import { member, membersOf } from '../../catalogue/documents/reference.ts'

/**
 * An example of the operation's first 2xx response as JSON text.
 *
 * @param name of the example (default: the first); if no example has it, the single `example` of the media type
 * @returns undefined if the response has no example
 */
export function answerExample(
  document: OpenApiDocument,
  { template, method }: Operation,
  name = '',
): string | undefined {
  const responses = operationObject(document, template, method)?.responses ?? []
  const success = responses.find(([status]) => status.startsWith('2'))
  const content = success && member(document, success[1], 'content', 'application/json')
  if (content === undefined) return undefined
  const named = membersOf(document, content, 'examples')
  const chosen = named.find(([known]) => name === '' || known === name)
  const example = chosen?.[1].value['value'] ?? content.value['example']
  return example === undefined ? undefined : JSON.stringify(example, undefined, 2)
}
