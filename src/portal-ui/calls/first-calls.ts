import { type CallShape, callShape, isFirstCall, type ListedOperation } from './call-shape.ts'

/** The operations of a version that can be called without having called another one, those that need the least first. */
export function firstCalls(
  document: unknown,
  operations: readonly ListedOperation[],
): readonly CallShape[] {
  const shapes = operations.map((operation) => callShape(document, operation))
  return shapes.filter(isFirstCall).toSorted((a, b) => effort(a) - effort(b))
}

function effort({ parameters, body }: CallShape): number {
  return parameters.filter(({ isRequired }) => isRequired).length + (body === undefined ? 0 : 10)
}
