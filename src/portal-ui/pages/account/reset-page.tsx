import { Page } from '../../layout/page.tsx'

/** Asks for a link to set a new password. */
export function ResetPage() {
  return <Page title="Reset your password">{null}</Page>
}
