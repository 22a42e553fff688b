import { type ErrorCode, errors } from '../../../platform/errors.ts'
import { escapeHtml, plainPage } from './page.ts'

export interface ProblemPageOptions {
  readonly code: string
  readonly styleNonce: string
  /** Path of the portal's icon. */
  readonly icon: string
}

/** The page behind the `type` of a problem: what the code means and what to do. Undefined for an unknown code. */
export function problemPage({ code, styleNonce, icon }: ProblemPageOptions): string | undefined {
  if (!isErrorCode(code)) return undefined
  const { status, title, help } = errors[code]
  const body = `<p><code>${code}</code> is sent with status ${status}.</p>
<p>${escapeHtml(help)}</p>
<p><a href="/">To the portal</a></p>`
  return plainPage({ title, body, styleNonce, icon })
}

/** Own members only: "toString" is no code. */
function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code)
}
