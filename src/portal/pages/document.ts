import { languageFacts } from '../../messages/language.ts'
import { escapeHtml } from './escape-html.ts'
import type { NeededFiles } from './page-files.ts'
import { accentStyle, type PageLook } from './page-look.ts'
import { plainStyle } from './plain-style.ts'
import { scriptJson } from './script-json.ts'
import { skeletonStyle } from './skeleton.ts'

export interface DocumentOptions {
  readonly look: PageLook
  /** Plain text, like the description. */
  readonly title: string
  readonly description: string
  readonly files: NeededFiles
  /** Addresses that the page requests first. The browser preloads them with the scripts, before these run. */
  readonly answers: readonly string[]
  /** HTML that shows until the script has loaded. */
  readonly skeleton: string
  /** JSON that `boot.ts` of the page reads. */
  readonly boot: object
  /** HTML for readers without JavaScript. */
  readonly noscript: string
}

/** The HTML document of the page. A browser paints what precedes the links before the linked files arrive. */
export function pageDocument(options: DocumentOptions): string {
  const { look, title, description, files, answers, skeleton, boot, noscript } = options
  const { language, styleNonce, scriptNonce, icon } = look
  const links = [
    ...files.styles.map((file) => `<link rel="stylesheet" href="${file}">`),
    `<script type="module" src="${files.main}"></script>`,
    ...files.scripts.map((file) => `<link rel="modulepreload" href="${file}">`),
    ...answers.map(
      (address) =>
        `<link rel="preload" as="fetch" crossorigin fetchpriority="low" href="${escapeHtml(address)}">`,
    ),
  ]
  return `<!doctype html>
<html lang="${language}" dir="${languageFacts[language].direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(description)}">
<meta property="csp-nonce" nonce="${styleNonce}">
<link rel="icon" href="${escapeHtml(icon)}">
${accentStyle(look)}
<script nonce="${scriptNonce}">${schemeScript}</script>
<style nonce="${styleNonce}">${skeletonStyle}</style>
</head>
<body>
<div id="skeleton">${skeleton}</div>
<script nonce="${scriptNonce}">${namedScript}</script>
${links.join('\n')}
<div id="root"></div>
<script type="application/json" id="boot">${scriptJson(boot)}</script>
<noscript><style nonce="${styleNonce}">${plainStyle}</style><div class="plain">${noscript}</div></noscript>
</body>
</html>
`
}

/** Applies the colour scheme before the first paint; otherwise a dark page would flash white. */
const schemeScript = `
(() => {
  let chosen = null
  try { chosen = localStorage.getItem('colour-scheme') } catch {}
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  document.documentElement.dataset.mantineColorScheme = chosen === 'light' || chosen === 'dark' ? chosen : system
})()
`

/** Marks the element that the address names; browsers set :target only after styles and scripts have loaded. */
const namedScript =
  "document.getElementById(location.hash.slice(1))?.setAttribute('data-named', '')"
