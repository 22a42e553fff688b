import { Page } from '../../layout/page.tsx'

/** Where that link leads. */
export function ResetConfirmPage() {
  return <Page title="Set a new password">{null}</Page>
}
