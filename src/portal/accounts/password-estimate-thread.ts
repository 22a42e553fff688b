import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import * as common from '@zxcvbn-ts/language-common'
import * as english from '@zxcvbn-ts/language-en'

/** The estimate of zxcvbn for a password. */
export interface PasswordEstimate {
  readonly guessesLog10: number
  /** The parts that it recognised, in the order of the password. */
  readonly pieces: readonly { readonly pattern: string; readonly length: number }[]
}

/**
 * Characters to analyse. The time grows with the length, and 40 characters that are easy to guess make no strong password.
 */
const analysedMax = 40

/** Its words are rare, but password crackers try it early. */
const famousPassphrase = 'correcthorsebatterystaple'

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  maxLength: analysedMax,
  // Each possible substitution multiplies the work.
  l33tMaxSubstitutions: 8,
})

parentPort?.on('message', (password: string) => {
  const { guessesLog10, sequence } = estimator.check(password, [famousPassphrase])
  const pieces = sequence.map(({ pattern, token }) => ({ pattern, length: token.length }))
  parentPort?.postMessage({ guessesLog10, pieces } satisfies PasswordEstimate)
})
