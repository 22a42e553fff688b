import './reference.css'
import { scalarScriptUrl } from 'virtual:scalar-script'

/** What the server writes into the document. */
interface ReferenceBoot {
  /** Path of the OpenAPI document. */
  readonly document: string
  /** Where the paths of the document begin, on the gateway. */
  readonly server: string
}

/** The script of the reference puts this into the window. */
interface Scalar {
  createApiReference(selector: string, configuration: object): unknown
}

const boot = JSON.parse(document.getElementById('reference')?.textContent ?? '') as ReferenceBoot
// The library greets here; the console is for what is wrong.
console.info = () => undefined
// Its validator (zod) would try out whether it may compile code, which the policy forbids and reports.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
const script = document.createElement('script')
script.src = scalarScriptUrl
script.addEventListener('load', draw)
script.addEventListener('error', () => {
  const place = document.getElementById('app')
  if (place !== null) place.textContent = 'The reference could not be loaded. Reload the page.'
})
document.head.append(script)

/** Draws the reference; nothing of it may ask another host for anything. */
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
    hideTestRequestButton: true,
    showDeveloperTools: 'never',
    proxyUrl: '',
    documentDownloadType: 'direct',
    theme: 'default',
    ...rememberedScheme(),
  })
  keepReachable()
}

/** Gives what the library draws the names and the reach by keyboard it leaves out (WCAG 2.2, 4.1.2 and 2.1.1). */
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

/** The choice made on the portal, where there is one. */
function rememberedScheme(): { darkMode?: boolean } {
  try {
    const chosen = localStorage.getItem('colour-scheme')
    if (chosen === 'light' || chosen === 'dark') return { darkMode: chosen === 'dark' }
  } catch {
    // A browser that keeps nothing follows the system.
  }
  return { darkMode: matchMedia('(prefers-color-scheme: dark)').matches }
}
