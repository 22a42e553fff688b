/** Asks the developer for a proof; resolves to whether the portal took it. */
export type ProofQuestion = () => Promise<boolean>

let question: ProofQuestion | undefined
let asked: Promise<boolean> | undefined

/** Registers the function that asks. The page has one dialog, whichever request needs the proof. @returns unregisters it */
export function answerProofQuestions(by: ProofQuestion): () => void {
  question = by
  return () => {
    if (question === by) question = undefined
  }
}

/** Asks once for all requests that wait for the same proof. Resolves to false when the developer declines. */
export function askForProof(): Promise<boolean> {
  asked ??= (question?.() ?? Promise.resolve(false)).finally(() => {
    asked = undefined
  })
  return asked
}
