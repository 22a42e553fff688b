import { languageCookie, languageCookieSeconds } from '../../messages/language.ts'

/**
 * The only script of pages that work without one. Before the first paint it
 * applies the reader's colour scheme; then it makes the header's buttons for
 * scheme and language work, and Ctrl-K and ⌘K open the search. It stores both
 * choices where the page does, so that they hold on all pages.
 */
export const plainScript = `
(() => {
  const key = 'colour-scheme', root = document.documentElement
  const system = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  const apply = (chosen) => {
    if (chosen === 'light' || chosen === 'dark') root.dataset.mantineColorScheme = chosen
    else delete root.dataset.mantineColorScheme
  }
  try { apply(localStorage.getItem(key)) } catch {}
  addEventListener('click', (event) => {
    const { scheme, language } = event.target.closest('[data-scheme], [data-language]')?.dataset ?? {}
    if (scheme) {
      const chosen = scheme === system() ? 'auto' : scheme
      apply(chosen)
      try { localStorage.setItem(key, chosen) } catch {}
    }
    if (language) {
      event.preventDefault()
      const secure = location.protocol === 'https:' ? '; Secure' : ''
      document.cookie = '${languageCookie}=' + language + '; Path=/; SameSite=Lax; Max-Age=${languageCookieSeconds}' + secure
      const to = new URL(location.href)
      to.searchParams.delete('language')
      history.replaceState(null, '', to)
      location.reload()
    }
  })
  addEventListener('keydown', (event) => {
    const isK = event.code === 'KeyK' || event.key.toLowerCase() === 'k'
    if (!isK || !(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey) return
    event.preventDefault()
    location.assign('/#search')
  })
  addEventListener('DOMContentLoaded', () => {
    document.querySelector('.search')?.setAttribute('aria-keyshortcuts', 'Control+K Meta+K')
    const keys = document.querySelector('.search kbd')
    if (keys && /Mac|iPhone|iPad/.test(navigator.userAgent)) keys.textContent = '⌘K'
  })
})()
`
