import { isLeftInEnglish, type Language, languageFacts } from '../../../messages/language.ts'
import { wordsOf } from '../../../messages/words.ts'
import { pagePaths } from '../page-paths.ts'
import { accentStyle, type PageLook } from './page-look.ts'

export interface PlainPageOptions {
  /** Plain text. */
  readonly title: string
  /** Stands for the title as the heading: HTML, already escaped. */
  readonly heading?: string
  /** HTML, already escaped, in the language of the look. */
  readonly body: string
  readonly look: PageLook
}

/** A whole HTML document of the portal that needs no script. */
export function plainPage({ title, heading, body, look }: PlainPageOptions): string {
  const { brand, styleNonce, icon, faces, language } = look
  const { t } = wordsOf(language)
  const name = escapeHtml(brand.name)
  return `<!doctype html>
<html lang="${language}" dir="${languageFacts[language].direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · ${name}</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${escapeHtml(icon)}">
<style nonce="${styleNonce}">${faces}${plainStyle}</style>
${accentStyle(look)}
</head>
<body class="plain">
<header><a href="/"><img src="${escapeHtml(icon)}" alt="" width="26" height="26"><bdi>${name}</bdi><span>${t('shell.developers')}</span></a>
<nav aria-label="${t('shell.main')}"><a href="/">${t('shell.apis')}</a><a href="${pagePaths.guides}">${t('shell.guides')}</a><a href="/problems/">${t('shell.errors')}</a></nav></header>
<main>
<h1>${heading ?? escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`
}

/** The look of what can be read without script; the colours are the page's. */
export const plainStyle = `
:root { color-scheme: light dark; }
.plain {
  --text: #0c1a1f; --dim: #55646b; --line: #e4eaec; --surface: #fff; --sunken: #f6f8f9; --link: var(--mantine-color-tide-8, #085965);
  font: .875rem/1.6 Inter, Heebo, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
  color: var(--text);
}
@media (prefers-color-scheme: dark) {
  html { background: #0b1316; }
  .plain { --text: #e8eff1; --dim: #9fb0b6; --line: #1e2d33; --surface: #111d22; --sunken: #0a1013; --link: var(--mantine-color-tide-3, #6cc9d5); }
}
.plain { margin: 0; }
.plain > header { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.5rem; min-height: 3.5rem; padding: .25rem max(1.25rem, (100% - 87.5rem) / 2); border-bottom: 1px solid var(--line); }
.plain > main { max-width: 72rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
div.plain { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem 3rem; }
.plain > header a { display: inline-flex; align-items: center; gap: .625rem; min-height: 2rem; color: inherit; font-weight: 650; text-decoration: none; }
.plain > header nav { display: flex; gap: 1.25rem; }
.plain > header nav a { color: var(--dim); font-weight: 550; }
.plain > header nav a:hover { color: inherit; }
.plain > header span { font-weight: 400; color: var(--dim); }
.plain h1 { font-size: 1.5rem; font-weight: 650; line-height: 1.33; letter-spacing: -.02em; margin: 0 0 .5rem; }
.plain h2 { font-size: 1rem; margin: 2.5rem 0 .5rem; }
.plain h3 { font-size: .875rem; margin: 2rem 0 .5rem; }
.plain a { color: var(--link); }
.plain p { max-width: 44rem; text-wrap: pretty; }
.plain .dim { margin: 0 0 1.25rem; color: var(--dim); }
.plain .card { padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: 12px; background: var(--surface); box-shadow: 0 1px 2px rgb(12 26 31 / .05); }
.plain .card p { margin: 0; }
.plain .card ul { margin: .5rem 0 0; padding-inline-start: 1.25rem; }
.plain .ways { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin-top: 1.5rem; padding: 0; list-style: none; }
.plain .ways a { display: inline-block; padding-block: .25rem; }
.plain .table { overflow-x: auto; }
.plain table { border-collapse: collapse; width: 100%; margin-top: 1.5rem; }
.plain th { color: var(--dim); font-size: .8125rem; font-weight: 550; }
.plain th, .plain td { text-align: start; padding-block: .5rem; padding-inline: 0 .75rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.plain code { font-family: 'JetBrains Mono', ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; font-variant-ligatures: none; overflow-wrap: anywhere; }
.plain code { padding: .0625rem .2em; border-radius: 4px; background: var(--sunken); }
.plain a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
`

/** A text of an API's document, as HTML; marked as English where it has no translation. */
export function documentHtml(text: string, language: Language): string {
  const marks = isLeftInEnglish(text, language) ? ' lang="en" dir="ltr"' : ''
  return `<bdi${marks}>${escapeHtml(text)}</bdi>`
}

/** Makes text safe inside elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
