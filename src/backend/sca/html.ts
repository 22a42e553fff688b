/** Markup that may be put into a page as it is. */
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
 * A template whose values are escaped, in text and in quoted attributes alike;
 * only what this function has made, or a list of it, is put in unescaped.
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
