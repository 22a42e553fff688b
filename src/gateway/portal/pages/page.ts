import { accentStyle, type PageLook } from './page-look.ts'

export interface PlainPageOptions {
  /** Plain text. */
  readonly title: string
  /** HTML, already escaped. */
  readonly body: string
  readonly look: PageLook
}

/** A whole HTML document of the portal that needs no script. */
export function plainPage({ title, body, look }: PlainPageOptions): string {
  const { brand, styleNonce, icon } = look
  const name = escapeHtml(brand.name)
  const heading = escapeHtml(title)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading} · ${name}</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${escapeHtml(icon)}">
<style nonce="${styleNonce}">${plainStyle}</style>
${accentStyle(look)}
</head>
<body class="plain">
<header><a href="/"><bdi>${name}</bdi> <span>Developers</span></a></header>
<main>
<h1>${heading}</h1>
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
  --text: #0c1a1f; --dim: #55646b; --line: #e4eaec; --link: var(--mantine-color-tide-8, #085965);
  font: .875rem/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
  max-width: 60rem; margin: 0 auto; padding: 0 1rem 3rem; color: var(--text);
}
@media (prefers-color-scheme: dark) {
  html { background: #0b1316; }
  .plain { --text: #e8eff1; --dim: #9fb0b6; --line: #1e2d33; --link: var(--mantine-color-tide-3, #6cc9d5); }
}
.plain > header { padding: 1rem 0; border-bottom: 1px solid var(--line); margin-bottom: 2.5rem; }
.plain > header a { color: inherit; font-weight: 700; text-decoration: none; }
.plain > header span { font-weight: 400; color: var(--dim); }
.plain h1 { font-size: 1.5rem; line-height: 1.33; letter-spacing: -.02em; margin: 0 0 1rem; }
.plain h2 { font-size: 1rem; margin: 2.5rem 0 .5rem; }
.plain h3 { font-size: .875rem; margin: 2rem 0 .5rem; }
.plain a { color: var(--link); }
.plain p { max-width: 44rem; }
.plain table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
.plain th, .plain td { text-align: left; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.plain code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; overflow-wrap: anywhere; }
.plain a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
`

/** Makes text safe inside elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
