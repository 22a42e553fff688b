import { escapeHtml } from './escape-html.ts'

/** The help of an error as HTML: names in backticks become code, lines with a dash a list. */
export function helpHtml(help: string): string {
  return help
    .split('\n\n')
    .map((block) =>
      block.startsWith('- ')
        ? `<ul>${block
            .split('\n')
            .map((line) => `<li>${withCode(line.slice(2))}</li>`)
            .join('')}</ul>`
        : `<p>${withCode(block)}</p>`,
    )
    .join('')
}

function withCode(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code dir="ltr">$1</code>')
}
