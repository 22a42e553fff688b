import { type ComponentType, lazy, Suspense } from 'react'
import { useSession } from '../api/session.ts'
import { useFacts } from '../facts.tsx'
import type { TermsNoticeProps } from './terms-notice.tsx'

const TermsNotice = lazy<ComponentType<TermsNoticeProps>>(() =>
  import('./terms-notice.tsx').then(
    (script) => ({ default: script.TermsNotice }),
    // Without its script the page still works, and asks at the next visit.
    () => ({ default: () => null }),
  ),
)

/** Tells of changed terms, and operators of all; loaded only for those whom it is for. A first question stands in place of a page. */
export function LazyTermsNotice() {
  const { terms } = useFacts().brand
  const developer = useSession().data?.developer
  if (terms === null || developer === undefined) return null
  if (developer.acceptedTerms?.version === terms.version) return null
  if (developer.acceptedTerms === null && !developer.isOperator) return null
  return (
    <Suspense>
      <TermsNotice terms={terms} hasAcceptedOthers={developer.acceptedTerms !== null} />
    </Suspense>
  )
}
