import { useDeveloper } from '../../api/session.ts'

/** Tells password managers whose password a form asks for; nobody sees it. */
export function WhosePassword() {
  const { email } = useDeveloper()
  return <input type="email" autoComplete="username" value={email} readOnly hidden />
}
