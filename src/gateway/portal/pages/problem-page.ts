import { type ErrorCode, errors } from '../../../platform/errors.ts'
import { escapeHtml, page } from './page.ts'

/** The page behind the `type` of a problem: what the code means and what to do. Undefined for an unknown code. */
export function problemPage(code: string): string | undefined {
  if (!isErrorCode(code)) return undefined
  const { status, title, help } = errors[code]
  return page(
    title,
    `<p><code>${code}</code> is sent with status ${status}.</p>
<p>${escapeHtml(help)}</p>
<p><a href="/">All APIs</a></p>`,
  )
}

/** Own members only: "toString" is no code. */
function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code)
}
