import { type CallShape, isFirstCall } from './call-shape.ts'

/** The operations that need no earlier response, simplest first. */
export function firstCalls(shapes: readonly CallShape[]): readonly CallShape[] {
  return shapes.filter(isFirstCall).toSorted((a, b) => effort(a) - effort(b))
}

function effort({ parameters, body }: CallShape): number {
  return parameters.filter(({ isRequired }) => isRequired).length + (body === undefined ? 0 : 10)
}
