/** Markup that a page may contain unescaped. */
export interface Html {
  readonly markup: string
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Escapes the values of a template, in text and in quoted attributes. Inserts
 * only results of this function, or lists of results, unescaped.
 */
export function html(
  strings: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[])[]
): Html {
  const markup = strings.reduce((text, part, index) => {
    const value = values[index - 1] ?? ''
    return text + render(value) + part
  })
  return { markup }
}

function render(value: string | Html | readonly Html[]): string {
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)
  if ('markup' in value) return value.markup
  return value.map(({ markup }) => markup).join('')
}
