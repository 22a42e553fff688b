import { type ErrorCode, errors } from '../../../platform/errors.ts'
import { escapeHtml, plainPage } from './page.ts'
import type { PageLook } from './page-look.ts'

export interface ProblemPageOptions {
  readonly code: string
  readonly look: PageLook
}

/** The page behind the `type` of a problem: what the code means and what to do. Undefined for an unknown code. */
export function problemPage({ code, look }: ProblemPageOptions): string | undefined {
  if (!isErrorCode(code)) return undefined
  const { status, title, help } = errors[code]
  const body = `<p>Error code <code>${code}</code>, HTTP status ${status}.</p>
<p>${escapeHtml(help)}</p>
<nav><a href="/problems/">All errors</a> · <a href="/">APIs</a> · <a href="/applications">Your applications</a></nav>`
  return plainPage({ title, body, look })
}

/** The list of all error codes, for people. */
export function problemIndex({ look }: Omit<ProblemPageOptions, 'code'>): string {
  const rows = Object.entries(errors).map(
    ([code, { status, title }]) =>
      `<tr><td>${status}</td><td><a href="/problems/${code}"><code>${code}</code></a></td><td>${escapeHtml(title)}</td></tr>`,
  )
  const body = `<p>Every error of the gateway and the portal is a JSON document with a <code>code</code>. The page of a code explains the error and what you can do about it.</p>
<nav><a href="/">APIs</a> · <a href="/applications">Your applications</a></nav>
<table><thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`
  return plainPage({ title: 'Errors', body, look })
}

/** Checks own members only: "toString" is not a code. */
function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code)
}
