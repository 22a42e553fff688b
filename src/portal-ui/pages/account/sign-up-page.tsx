import { Page } from '../../layout/page.tsx'

/** Asks for an account. */
export function SignUpPage() {
  return <Page title="Sign up">{null}</Page>
}
