import type { DeclaredNames, JsonObject, Method } from '../catalogue.ts'
import { operationObject } from './operation-object.ts'
import { membersOf } from './reference.ts'

/** Reads the names that a document of any version declares for an operation. */
export function declaredNames(
  document: JsonObject,
  template: string,
  method: Method,
): DeclaredNames {
  const { parameters = [], responses = [] } = operationObject(document, template, method) ?? {}
  const namesIn = (place: string) =>
    parameters.filter((each) => each.in === place).map(({ name }) => name)
  const answered = responses.flatMap(([, response]) =>
    membersOf(document, response, 'headers').map(([name]) => name),
  )
  return {
    headers: orNone([...namesIn('header'), ...(namesIn('cookie').length > 0 ? ['Cookie'] : [])]),
    query: orNone(namesIn('query')),
    responseHeaders: orNone([...new Set(answered)]),
  }
}

const none: readonly string[] = Object.freeze([])

/** One empty list for all operations: a catalogue may have 100,000. */
function orNone(names: readonly string[]): readonly string[] {
  return names.length === 0 ? none : names
}
