import { wordsOf } from '../../../messages/words.ts'
import { errorWords, isErrorCode, wordsOfError } from '../error-words.ts'
import { pagePaths } from '../page-paths.ts'
import { helpHtml } from './help-html.ts'
import { escapeHtml, plainPage } from './page.ts'
import type { PageLook } from './page-look.ts'

export interface ProblemPageOptions {
  readonly code: string
  readonly look: PageLook
}

/** The page behind the `type` of a problem: what the code means and what to do. Undefined for an unknown code. */
export function problemPage({ code, look }: ProblemPageOptions): string | undefined {
  if (!isErrorCode(code)) return undefined
  const { t } = wordsOf(look.language)
  const { status, title, help } = wordsOfError(code, look.language)
  const ways = [
    ['/problems/', t('problemPage.all')],
    [`${pagePaths.guides}/errors#${code}`, t('problemPage.guide')],
    [pagePaths.applications, t('problemPage.applications')],
  ] as const
  const links = ways.map(([href, words]) => `<li><a href="${href}">${escapeHtml(words)}</a></li>`)
  const body = `<p class="dim"><code dir="ltr">${code}</code> · ${escapeHtml(t('problemPage.status', { status }))}</p>
<div class="card">${helpHtml(help)}</div>
<ul class="ways">${links.join('')}</ul>`
  return plainPage({ title, body, look })
}

/** The list of all error codes, for people. */
export function problemIndex({ look }: Omit<ProblemPageOptions, 'code'>): string {
  const { t } = wordsOf(look.language)
  const rows = [...errorWords(look.language)].map(
    ([code, { status, title }]) =>
      `<tr><td>${status}</td><td><a href="/problems/${code}"><code dir="ltr">${code.replaceAll('_', '_<wbr>')}</code></a></td><td>${escapeHtml(title)}</td></tr>`,
  )
  const heads = [t('problemPage.statusHead'), t('problemPage.codeHead'), t('problemPage.meaning')]
  const body = `<p class="dim">${escapeHtml(t('problemPage.lead'))}</p>
<ul class="ways"><li><a href="${pagePaths.guides}/errors">${escapeHtml(t('problemPage.guide'))}</a></li></ul>
<div class="table" tabindex="0" role="region" aria-label="${t('shell.errors')}"><table><thead><tr>${heads.map((head) => `<th scope="col">${escapeHtml(head)}</th>`).join('')}</tr></thead><tbody>
${rows.join('\n')}
</tbody></table></div>`
  return plainPage({ title: t('shell.errors'), body, look })
}
