import { type Kind, kinds } from './attack.ts'
import { outcomesOf, reaches } from './judge.ts'
import type { Input } from './message.ts'
import { type NamesOperation, readingsOf } from './operations.ts'
import type { Recorder } from './recorder.ts'

/** How lenient one program was with the inputs of one kind. */
export interface Leniency {
  /** Inputs that a strict recipient rejects. */
  readonly refusable: number
  /** Refusable inputs that reached the backend. */
  readonly reached: number
  /** Inputs that reached the backend in a form that three readers interpret differently or that no strict reader accepts. */
  readonly ambiguous: number
  /** Inputs whose inner request reached the backend. */
  readonly smuggled: number
}

/** Whether a strict recipient rejects an input. Tollgate rejects it, too, or tolerates it deliberately (decision 20). */
function isRefusable(input: Input): boolean {
  return outcomesOf(input).every((outcome) => !reaches(outcome) || outcome === 'tolerated')
}

/** Derives from the backend's records how lenient the program in front was. */
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
