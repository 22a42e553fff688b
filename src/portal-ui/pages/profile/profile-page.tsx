import { Page } from '../../layout/page.tsx'

/** One's own profile. */
export function ProfilePage() {
  return <Page title="Profile">{null}</Page>
}
