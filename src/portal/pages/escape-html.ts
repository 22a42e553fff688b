import { isLeftInEnglish, type Language } from '../../messages/language.ts'

/** Renders a text of an API document as HTML, marked as English if it has no translation. */
export function documentHtml(text: string, language: Language): string {
  const marks = isLeftInEnglish(text, language) ? ' lang="en" dir="ltr"' : ''
  return `<bdi${marks}>${escapeHtml(text)}</bdi>`
}

/** A link as HTML. */
export function linkHtml(href: string, label: string): string {
  return `<a href="${escapeHtml(href)}">${escapeHtml(label)}</a>`
}

/** Makes text safe inside elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
