import './reference.css'
import { scalarScriptUrl } from 'virtual:scalar-script'
import { tagSlug } from '../gateway/portal/page-paths.ts'

/** Data that the server writes into the document. */
interface ReferenceBoot {
  /** Path of the OpenAPI document. */
  readonly document: string
  /** Base URL of the document's paths on the gateway. */
  readonly server: string
}

/** Global of the reference's script. */
interface Scalar {
  createApiReference(selector: string, configuration: object): unknown
}

const boot = JSON.parse(document.getElementById('reference')?.textContent ?? '') as ReferenceBoot
// The library prints a greeting; the console is for errors.
console.info = () => undefined
// Its validator (zod) would test whether it may compile code, which the policy forbids and reports.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
const script = document.createElement('script')
script.src = scalarScriptUrl
script.addEventListener('load', draw)
script.addEventListener('error', () => {
  const place = document.getElementById('app')
  if (place !== null) place.textContent = 'The reference could not be loaded. Reload the page.'
})
document.head.append(script)

/** Renders the reference; it must not load anything from another host. */
function draw(): void {
  // The script promises this object; it has no types here.
  const { Scalar } = window as unknown as { Scalar: Scalar }
  Scalar.createApiReference('#app', {
    url: boot.document,
    servers: [{ url: boot.server }],
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    // Shows the samples of the document: the library's own samples would send every optional field.
    hiddenClients: true,
    // The document's own list of samples links to these places.
    generateOperationSlug: ({ operationId = '' }: { readonly operationId?: string }) => operationId,
    generateTagSlug: tagSlug,
    hideTestRequestButton: true,
    showDeveloperTools: 'never',
    proxyUrl: '',
    documentDownloadType: 'direct',
    theme: 'default',
    ...rememberedScheme(),
  })
  keepReachable()
}

/** Adds the accessible names and keyboard access that the library lacks (WCAG 2.2, 4.1.2 and 2.1.1). */
function keepReachable(): void {
  let isPlanned = false
  function mend(): void {
    isPlanned = false
    for (const button of document.querySelectorAll('button.scalar-code-copy:not([aria-label])')) {
      button.setAttribute('aria-label', 'Copy')
    }
    for (const list of document.querySelectorAll<HTMLElement>('ul.endpoints:not([tabindex])')) {
      list.tabIndex = 0
    }
  }
  const observer = new MutationObserver(() => {
    if (isPlanned) return
    isPlanned = true
    requestAnimationFrame(mend)
  })
  observer.observe(document.body, { childList: true, subtree: true })
  mend()
}

/** The colour scheme chosen in the portal, if any. */
function rememberedScheme(): { darkMode?: boolean } {
  try {
    const chosen = localStorage.getItem('colour-scheme')
    if (chosen === 'light' || chosen === 'dark') return { darkMode: chosen === 'dark' }
  } catch {
    // Without storage the page follows the system.
  }
  return { darkMode: matchMedia('(prefers-color-scheme: dark)').matches }
}
