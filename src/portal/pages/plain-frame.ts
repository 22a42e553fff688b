import type { MessageId } from '../../messages/format.ts'
import { languageFacts, languages } from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import type { PictureFacts } from '../api/schemas/brand.ts'
import { escapeHtml, linkHtml } from './escape-html.ts'
import type { PageLook } from './page-look.ts'
import { pagePaths } from './page-paths.ts'

/** The header of a page without script: the parts of the page's own, in the same places. */
export function plainHeader(look: PageLook): string {
  const { t } = wordsOf(look.language)
  const links = mainLinks(look)
  const profile = escapeHtml(t('shell.profile'))
  const signUp = (marks: string) =>
    `<a href="${pagePaths.signUp}"${marks}>${escapeHtml(t('shell.getKey'))}</a>`
  const entry = look.carriesSession
    ? `<a href="${pagePaths.profile}" class="person" aria-label="${profile}" title="${profile}">${personIcon}</a>`
    : `<a href="${pagePaths.signIn}">${escapeHtml(t('shell.signIn'))}</a>${signUp(' class="primary"')}`
  return `<a href="#content" class="skip">${escapeHtml(t('shell.skip'))}</a>
<header><div class="bar">
<a href="/" class="brand">${sign(look)}<span>${escapeHtml(t('shell.developers'))}</span></a>
<nav class="links" aria-label="${escapeHtml(t('shell.main'))}">${links}</nav>
<div class="end"><a href="/#search" class="search">${searchIcon}<span>${escapeHtml(t('search.open'))}</span><kbd dir="ltr" aria-hidden="true">Ctrl K</kbd></a>${languageLinks(look)}${schemeButton('dark', t('scheme.dark'))}${schemeButton('light', t('scheme.light'))}${entry}<button type="button" class="menu-button" popovertarget="menu" aria-label="${escapeHtml(t('shell.menu'))}">${menuIcon}</button></div>
<nav id="menu" class="menu" popover aria-label="${escapeHtml(t('shell.menu'))}">${links}${look.carriesSession ? '' : signUp('')}</nav>
</div></header>`
}

/** The footer of a page without script: that of the page. */
export function plainFooter({ brand, language }: PageLook): string {
  const { t } = wordsOf(language)
  const { terms, privacy, imprint, status, support, name } = brand
  const links: readonly (readonly [MessageId & `shell.${string}`, string | null | undefined])[] = [
    ['shell.terms', terms?.url],
    ['shell.privacy', privacy],
    ['shell.imprint', imprint],
    ['shell.status', status],
    ['shell.support', support],
    ['shell.errors', '/problems/'],
    ['shell.ownApi', '/api/openapi.json'],
  ]
  const shown = links.map(([id, href]) =>
    href == null ? '' : linkHtml(href, wordsOf(language).t(id)),
  )
  return `<footer><div><bdi>${escapeHtml(t('shell.footer', { name }))}</bdi><span>${shown.join('')}</span></div></footer>`
}

function mainLinks({ language, hasSandbox, carriesSession }: PageLook): string {
  const { t } = wordsOf(language)
  return [
    linkHtml(pagePaths.landing, t('shell.apis')),
    linkHtml(pagePaths.guides, t('shell.guides')),
    hasSandbox ? linkHtml(pagePaths.sandbox, t('shell.sandbox')) : '',
    carriesSession ? linkHtml(pagePaths.applications, t('shell.applications')) : '',
  ].join('')
}

/** A logo contains the name, and a narrow phone has room only for the icon; without a logo, the name is next to the icon. */
function sign({ brand: { logo, name }, icon }: PageLook): string {
  const words = escapeHtml(name)
  if (logo === null) {
    return `<img src="${escapeHtml(icon)}" alt="" width="26" height="26"><bdi>${words}</bdi>`
  }
  const picture = ({ url, width, height }: PictureFacts, scheme: string) =>
    `<img src="${escapeHtml(url)}" alt="${words}" width="${width}" height="${height}" class="logo in-${scheme}">`
  const narrow = `<img src="${escapeHtml(icon)}" alt="${words}" width="26" height="26" class="narrow">`
  return picture(logo.light, 'light') + picture(logo.dark, 'dark') + narrow
}

/** The address names the language for browsers without script; the script remembers it instead. */
function languageLinks({ language }: PageLook): string {
  return languages
    .filter((other) => other !== language)
    .map(
      (other) =>
        `<a href="?language=${other}" lang="${other}" hreflang="${other}" data-language="${other}">${languageFacts[other].name}</a>`,
    )
    .join('')
}

/** Shown while the other scheme is. */
function schemeButton(scheme: 'light' | 'dark', label: string): string {
  const words = escapeHtml(label)
  const shownIn = scheme === 'dark' ? 'light' : 'dark'
  return `<button type="button" class="in-${shownIn}" data-scheme="${scheme}" aria-label="${words}" title="${words}">${schemeIcon}</button>`
}

const searchIcon =
  '<svg viewBox="0 0 16 16" width="16" height="16" stroke-width="1.8" aria-hidden="true"><path d="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14"/></svg>'
const menuIcon =
  '<svg viewBox="0 0 16 16" width="18" height="18" stroke-width="1.8" aria-hidden="true"><path d="M2 4h12M2 8h12M2 12h12"/></svg>'
const personIcon =
  '<svg viewBox="0 0 16 16" width="18" height="18" stroke-width="1.4" aria-hidden="true"><circle cx="8" cy="5.5" r="2.75"/><path d="M2.5 14a5.5 5.5 0 0 1 11 0"/></svg>'
const schemeIcon =
  '<svg viewBox="0 0 16 16" width="18" height="18" stroke-width="1.4" aria-hidden="true"><circle cx="8" cy="8" r="6"/><path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor"/></svg>'
