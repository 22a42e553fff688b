import { wordsOf } from '../../messages/words.ts'
import { errorWords, isErrorCode, wordsOfError } from '../api/error-words.ts'
import type { ProblemSample, ProblemSamples } from '../documents/problem-sample.ts'
import { escapeHtml } from './escape-html.ts'
import { helpHtml } from './help-html.ts'
import { headHtml, jsonHtml } from './http-html.ts'
import { nextStep } from './next-step.ts'
import { plainPage } from './page.ts'
import type { PageLook } from './page-look.ts'
import { pagePaths } from './page-paths.ts'

export interface ProblemPageOptions {
  readonly code: string
  /** Id of the call that failed; not checked. */
  readonly callId: string | undefined
  readonly sampleOf: ProblemSamples
  readonly look: PageLook
}

/**
 * The page behind the `type` of a problem: what the code means, what to do, and
 * what the answer looks like. Undefined for an unknown code.
 */
export function problemPage(options: ProblemPageOptions): string | undefined {
  const { code, callId, sampleOf, look } = options
  if (!isErrorCode(code)) return undefined
  const { t } = wordsOf(look.language)
  const { status, title, help } = wordsOfError(code, look.language)
  const next = nextStep(code, callId, look)
  const ways = [
    ['/problems/', t('problemPage.all')],
    [`${pagePaths.guides}/errors#${code}`, t('problemPage.guide')],
    [pagePaths.applications, t('problemPage.applications')],
  ] as const
  const links = ways
    .filter(([href]) => href !== next.href)
    .map(([href, words]) => `<li><a href="${href}">${escapeHtml(words)}</a></li>`)
  const body = `<p class="dim"><code dir="ltr">${code}</code> · ${escapeHtml(t('problemPage.status', { status }))}</p>
<div class="beside">
<div>
<div class="card">${helpHtml(help)}
<p class="next"><a class="primary" href="${escapeHtml(next.href)}">${escapeHtml(next.label)}</a></p></div>
<ul class="ways">${links.join('')}</ul>
</div>
${sampleHtml(sampleOf(code), t('problemPage.sample'))}
</div>`
  return plainPage({ title, body, look })
}

/** It may scroll, so the keyboard must reach it. */
function sampleHtml({ head, body }: ProblemSample, title: string): string {
  const words = escapeHtml(title)
  return `<section class="code"><h2>${words}</h2><pre dir="ltr" tabindex="0" role="region" aria-label="${words}"><code>${headHtml(head)}

${jsonHtml(body)}</code></pre></section>`
}

/** The list of all error codes, for people. */
export function problemIndex({ look }: Pick<ProblemPageOptions, 'look'>): string {
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
