import type { Words } from '../../messages/format.ts'
import type { BrandFacts } from '../api/schemas/brand.ts'
import { escapeHtml } from './escape-html.ts'

export interface SkeletonOptions {
  readonly words: Words
  readonly brand: BrandFacts
  /** Title of the page, if it is known before its script runs. */
  readonly title: string | undefined
  /** Heading of the first page, which begins with a wide dark area; undefined for other pages. */
  readonly landing: string | undefined
  /** Whether it is next to a side bar. */
  readonly isBeside: boolean
  /** The main content of the page, as HTML; placeholder lines if it is not known. */
  readonly content?: string | undefined
}

/** What a document shows until its script has loaded, as HTML: the header, and where the page's content will be. */
export function skeleton(options: SkeletonOptions): string {
  const { words, brand, title, landing, isBeside, content } = options
  const { t } = words
  const name = escapeHtml(brand.name)
  const header = `<div class="sk-bar"><a class="sk-brand" href="/">${name} <span>${t('shell.developers')}</span></a></div>`
  if (landing !== undefined) {
    return `<div class="sk">${header}<main><div class="sk-hero"><div class="sk-in"><h1>${landing}</h1><p>${t('landing.lead')}</p></div></div>${content ?? ''}</main></div>`
  }
  const heading = title === undefined ? bone('sk-h') : `<h1>${escapeHtml(title)}</h1>`
  const lines = ['sk-w', 'sk-w', 'sk-n', 'sk-box'].map(bone).join('')
  return content === undefined
    ? `<div class="sk">${header}<main class="sk-in">${heading}${lines}</main></div>`
    : `<div class="sk">${header}<main class="sk-in${isBeside ? ' sk-beside' : ''}">${heading}${content}</main></div>`
}

function bone(kind: string): string {
  return `<div class="sk-b ${kind}"></div>`
}

/**
 * The look of the skeleton: the colours and places are those of the page that
 * replaces it. Faces of the system, so that ours do not load before the
 * scripts.
 */
export const skeletonStyle = `
:root { color-scheme: light; --sk-ground: #fff; --sk-text: #0c1a1f; --sk-dim: #55646b; --sk-line: #e4eaec; --sk-bar: #fff; }
:root[data-mantine-color-scheme="dark"] { color-scheme: dark; --sk-ground: #0b1316; --sk-text: #e8eff1; --sk-dim: #9fb0b6; --sk-line: #1e2d33; --sk-bar: #111d22; }
body { margin: 0; background: var(--sk-ground); }
.sk { min-height: 100vh; color: var(--sk-text); font: .875rem/1.43 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
.sk-bar { display: flex; align-items: center; min-height: 3.5rem; border-bottom: 1px solid var(--sk-line); background: var(--sk-bar); padding-inline: max(1.25rem, calc(50% - 43.75rem)); }
.sk-brand { color: inherit; text-decoration: none; font-weight: 650; font-size: .9375rem; }
.sk-brand span { font-weight: 400; color: var(--sk-dim); }
.sk-in { display: block; box-sizing: border-box; max-width: 74.5rem; margin: 0 auto; padding: 2rem 1.25rem; }
.sk-in h1 { margin: 0 0 1.5rem; font-size: 1.5rem; line-height: 1.33; font-weight: 650; letter-spacing: -.02em; }
.sk-hero { display: block; min-height: 34rem; color: #fff; background: linear-gradient(180deg, color-mix(in srgb, var(--mantine-color-tide-9, #0e333a) 22%, #060b0d), color-mix(in srgb, var(--mantine-color-tide-9, #0e333a) 50%, #060b0d)); }
.sk-people ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 1rem; margin: 1.5rem 0 0; padding: 0; list-style: none; }
.sk-people li { padding: 1rem 1.25rem; border: 1px solid var(--sk-line); border-radius: 12px; }
.sk-people h2 { margin: 0; font-size: 1rem; line-height: 1.5; font-weight: 650; }
.sk-people p { margin: .25rem 0; }
.sk-people code { font: .8125rem ui-monospace, monospace; overflow-wrap: anywhere; }
.sk-list span { color: var(--sk-dim); }
.sk-hero .sk-in { padding-block: 5.5rem; }
.sk-hero h1 { max-width: 34rem; font-size: clamp(2rem, 1.2rem + 3vw, 2.875rem); line-height: 1.13; margin-bottom: 1rem; }
.sk-hero p { max-width: 31rem; margin: 0; font-size: 1rem; line-height: 1.6; color: #b8c9ce; }
.sk-b { height: 1rem; margin-bottom: .75rem; border-radius: 6px; background: var(--sk-line); }
.sk-h { height: 2rem; width: 16rem; max-width: 70%; margin-bottom: 1.5rem; }
.sk-n { width: 45%; }
.sk-box { height: 12rem; margin-top: 1.5rem; border-radius: 12px; }
.sk-list h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; line-height: 1.5; font-weight: 650; }
.sk-list ul { margin: 0; padding: 0; list-style: none; border: 1px solid var(--sk-line); border-radius: 12px; }
.sk-list li { content-visibility: auto; contain-intrinsic-size: auto 2.5rem; }
.sk-list li + li { border-top: 1px solid var(--sk-line); }
.sk-list a { display: grid; grid-template-columns: 3.5rem minmax(12rem, 19rem) minmax(0, 1fr); align-items: center; gap: .125rem .75rem; min-height: 2.5rem; padding: .375rem 1rem; box-sizing: border-box; color: inherit; text-decoration: none; }
.sk-list b { font: 650 .6875rem ui-monospace, monospace; text-align: center; }
.sk-list code { font: .75rem ui-monospace, monospace; color: var(--sk-dim); overflow-wrap: anywhere; }
/* The operation that the address names, in place of the list. It stays below the header. */
.sk-op { display: none; max-width: 44rem; scroll-margin-top: 100vh; }
.sk-op:is(:target, [data-named]) { display: block; }
.sk-op:is(:target, [data-named]) ~ :is(.sk-about, .sk-list) { display: none; }
.sk-about { max-width: 44rem; }
.sk-about :is(p, ul, ol, table, pre) { margin: 0 0 .625rem; }
.sk-about h2, .sk-about h3 { margin: 1.5rem 0 .625rem; font-size: 1rem; line-height: 1.5; font-weight: 650; }
.sk-op h2 { margin: 0 0 .5rem; font-size: 1.25rem; line-height: 1.4; font-weight: 650; }
.sk-op h3 { margin: 1.25rem 0 .25rem; font-size: 1rem; line-height: 1.5; font-weight: 650; }
.sk-op ul { margin: 0; padding-inline-start: 1.25rem; }
.sk-op li p { margin: .125rem 0 .5rem; }
.sk-op code { font: .8125rem ui-monospace, monospace; overflow-wrap: anywhere; }
@media (min-width: 56.01em) {
  .sk-beside { max-width: none; margin-inline-start: 14.5rem; padding: 1.25rem 2rem; }
}
@media (max-width: 48em) {
  .sk-list a { grid-template-columns: 3.5rem minmax(0, 1fr); }
  .sk-list code { grid-column: 2; }
}
noscript .sk { display: none; }
`
