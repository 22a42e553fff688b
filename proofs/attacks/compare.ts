import { type Kind, kinds } from './attack.ts'
import { outcomesOf, reaches } from './judge.ts'
import type { Input } from './message.ts'
import { type NamesOperation, readingsOf } from './operations.ts'
import type { Recorder } from './recorder.ts'

/** How lenient one program was with the inputs of one kind. */
export interface Leniency {
  /** Inputs that a strict recipient refuses. */
  readonly refusable: number
  /** Those of them that reached the backend. */
  readonly reached: number
  /** Inputs of which something reached the backend that three readers read differently, or that no strict reader takes. */
  readonly ambiguous: number
  /** Inputs whose inner request reached the backend. */
  readonly smuggled: number
}

/** Whether a strict recipient refuses an input: ours does, or takes it although a strict one would not (decision 20). */
function isRefusable(input: Input): boolean {
  return outcomesOf(input).every((outcome) => !reaches(outcome) || outcome === 'tolerated')
}

/** Reads from the backend's book how lenient the program in front of it was. */
export function leniencyOf(
  inputs: readonly Input[],
  { seen, strays }: Pick<Recorder, 'seen' | 'strays'>,
  names: NamesOperation,
): ReadonlyMap<Kind, Leniency> {
  const reached = new Set<number | undefined>()
  const ambiguous = new Set<number | undefined>()
  const smuggled = new Set<number | undefined>()
  for (const { sender, number, request } of seen) {
    if (sender === 'smuggled') smuggled.add(number)
    if (sender !== 'attack') continue
    reached.add(number)
    const readings = readingsOf(request.target).map((path) => names(request.method, path))
    if (new Set(readings).size > 1) ambiguous.add(number)
  }
  for (const { sender, number, isWhole } of strays) {
    if (sender === 'attack') reached.add(number)
    if (isWhole) ambiguous.add(number)
  }
  return new Map(
    kinds.map((kind) => {
      const own = inputs.filter(({ attack }) => attack.kind === kind)
      const refusable = own.filter(isRefusable)
      const count = (of: readonly Input[], set: ReadonlySet<number | undefined>): number =>
        of.filter(({ number }) => set.has(number)).length
      return [
        kind,
        {
          refusable: refusable.length,
          reached: count(refusable, reached),
          ambiguous: count(own, ambiguous),
          smuggled: count(own, smuggled),
        },
      ]
    }),
  )
}
