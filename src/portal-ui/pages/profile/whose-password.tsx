import { useDeveloper } from '../../api/session.ts'

/** An invisible field that tells password managers whose password a form asks for. */
export function WhosePassword() {
  const { email } = useDeveloper()
  return <input type="email" autoComplete="username" value={email} readOnly hidden />
}
