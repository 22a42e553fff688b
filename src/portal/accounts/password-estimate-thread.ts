import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import * as common from '@zxcvbn-ts/language-common'
import * as english from '@zxcvbn-ts/language-en'

/** What zxcvbn says of a password. */
export interface PasswordEstimate {
  readonly guessesLog10: number
  /** What it found in the password, in order. */
  readonly pieces: readonly { readonly pattern: string; readonly length: number }[]
}

/** The estimate takes time with the length, and 40 characters that are easy to guess make no strong password. */
const analysedMax = 40

/** Its words are rare, but every guessing program has it. */
const famousPassphrase = 'correcthorsebatterystaple'

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  maxLength: analysedMax,
  // Each substitution that may be meant multiplies the work.
  l33tMaxSubstitutions: 8,
})

parentPort?.on('message', (password: string) => {
  const { guessesLog10, sequence } = estimator.check(password, [famousPassphrase])
  const pieces = sequence.map(({ pattern, token }) => ({ pattern, length: token.length }))
  parentPort?.postMessage({ guessesLog10, pieces } satisfies PasswordEstimate)
})
