import { languageFacts } from '../../messages/language.ts'
import { escapeHtml } from './escape-html.ts'
import { accentStyle, type PageLook } from './page-look.ts'
import { plainFooter, plainHeader } from './plain-frame.ts'
import { plainScript } from './plain-script.ts'
import { plainFrameStyle, plainStyle } from './plain-style.ts'

export interface PlainPageOptions {
  /** Plain text. */
  readonly title: string
  /** HTML, already escaped, in the language of the look. */
  readonly body: string
  readonly look: PageLook
}

/** A whole HTML document of the portal that needs no script. */
export function plainPage({ title, body, look }: PlainPageOptions): string {
  const { brand, styleNonce, scriptNonce, icon, faces, language } = look
  return `<!doctype html>
<html lang="${language}" dir="${languageFacts[language].direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · ${escapeHtml(brand.name)}</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${escapeHtml(icon)}">
<script nonce="${scriptNonce}">${plainScript}</script>
<style nonce="${styleNonce}">${faces}${plainStyle}${plainFrameStyle}</style>
${accentStyle(look)}
</head>
<body class="plain">
${plainHeader(look)}
<main id="content" tabindex="-1">
<h1>${escapeHtml(title)}</h1>
${body}
</main>
${plainFooter(look)}
</body>
</html>
`
}
