import { withoutHiddenMarks } from '../../../platform/hidden-marks.ts'
import { escapeHtml } from '../pages/page.ts'

/**
 * Prepares a name that a developer typed for a mail: on one line, in quotes and
 * spelled so that mail programs do not turn it into a link ("evil.example"
 * becomes "evil[.]example"). Drops hidden marks.
 */
export function quoted(name: string): string {
  const line = withoutHiddenMarks(name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
    .replace(/:(?=\/\/)|(?<=\b(?:mailto|tel|sms|data|javascript)):/gi, '[:]')
    .replace(/[.\u3002\uff0e\uff61](?=\p{L}{2})/gu, '[.]')
    .replace(/[@\uff20]/g, '[at]')
  return `"${line.trim()}"`
}

/** {@link quoted} as HTML, apart from the direction of what stands around it. */
export function quotedHtml(name: string): string {
  return `<bdi>${escapeHtml(quoted(name))}</bdi>`
}
