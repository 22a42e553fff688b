import type { Attack } from './attack.ts'
import { answerAttacks } from './corpus/answers.ts'
import { fieldAttacks } from './corpus/fields.ts'
import { framingAttacks } from './corpus/framing.ts'
import { headAttacks } from './corpus/heads.ts'
import { keyAttacks } from './corpus/keys.ts'
import { methodAttacks } from './corpus/methods.ts'
import { octetAttacks } from './corpus/octets.ts'
import { pathAttacks } from './corpus/paths.ts'
import { pipelineAttacks } from './corpus/pipelines.ts'
import { sizeAttacks } from './corpus/sizes.ts'
import type { Input } from './message.ts'
import { type AttackedOperation, fits } from './operations.ts'

/** All attacks. Each file of `corpus/` has those of one kind. */
export const attacks: readonly Attack[] = [
  ...pathAttacks,
  ...methodAttacks,
  ...framingAttacks,
  ...headAttacks,
  ...fieldAttacks,
  ...keyAttacks,
  ...sizeAttacks,
  ...pipelineAttacks,
  ...answerAttacks,
  ...octetAttacks,
]

/**
 * Makes the inputs: each attack on the operations that it fits.
 *
 * @param most the largest number of operations for one attack; neighbouring attacks get different ones
 */
export function crossed(
  operations: readonly AttackedOperation[],
  most = Number.POSITIVE_INFINITY,
): Input[] {
  const inputs: Input[] = []
  for (const [at, attack] of attacks.entries()) {
    const fitting =
      attack.only === 'one'
        ? operations.filter(({ name }) => name === 'xs2a:1.7.0:listAccounts')
        : operations.filter((operation) => fits(attack, operation))
    const wanted = attack.spread ?? fitting.length
    const count = Math.min(most, wanted, fitting.length)
    for (let taken = 0; taken < count; taken += 1) {
      // Neighbouring rows begin with different operations.
      const operation = fitting[(at * 7 + taken) % fitting.length]
      if (operation !== undefined) inputs.push({ number: inputs.length + 1, attack, operation })
    }
  }
  return inputs
}
