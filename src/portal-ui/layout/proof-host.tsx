import { lazy, Suspense, useEffect, useState } from 'react'
import { answerProofQuestions } from '../api/proof-question.ts'

type Settle = (isProven: boolean) => void

/** Not needed to show the first page. If its script does not load, the question counts as declined. */
const ProofDialog = lazy(async () => ({
  default: await import('../components/proof-dialog.tsx').then(
    (script) => script.ProofDialog,
    () => Declined,
  ),
}))

/** Shows the question for a proof while a request waits for the answer. */
export function ProofHost() {
  const [settle, setSettle] = useState<Settle>()
  useEffect(
    () => answerProofQuestions(() => new Promise((resolve) => setSettle(() => resolve))),
    [],
  )
  if (settle === undefined) return null
  return (
    <Suspense>
      <ProofDialog
        onSettled={(isProven) => {
          setSettle(undefined)
          settle(isProven)
        }}
      />
    </Suspense>
  )
}

function Declined({ onSettled }: { readonly onSettled: Settle }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: declines once
  useEffect(() => onSettled(false), [])
  return null
}
