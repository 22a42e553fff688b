import { Page } from '../../layout/page.tsx'

/** Opens a session. */
export function SignInPage() {
  return <Page title="Sign in">{null}</Page>
}
