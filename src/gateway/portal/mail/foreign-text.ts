import { escapeHtml } from '../pages/page.ts'

/**
 * A name somebody typed, as a mail may show it: on one line, in quotes, and
 * spelled so that no mail program makes a link of it ("evil.example" becomes
 * "evil[.]example"); marks that turn the direction of a line are left out.
 */
export function quoted(name: string): string {
  const line = name
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/:(?=\/\/)|(?<=\b(?:mailto|tel|sms|data|javascript)):/gi, '[:]')
    .replace(/[.\u3002\uff0e\uff61](?=\p{L}{2})/gu, '[.]')
    .replace(/[@\uff20]/g, '[at]')
  return `"${line.trim()}"`
}

/** {@link quoted} as HTML, apart from the direction of what stands around it. */
export function quotedHtml(name: string): string {
  return `<bdi>${escapeHtml(quoted(name))}</bdi>`
}
