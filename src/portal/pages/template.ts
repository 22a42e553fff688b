/** Text with placeholders `{{name}}`. Inserts values unescaped: the caller knows the context. */
export type Template<Name extends string> = (values: Readonly<Record<Name, string>>) => string

/**
 * Reads a template.
 *
 * @throws {Error} when its places are not these, each at least once
 */
export function createTemplate<const Name extends string>(
  text: string,
  names: readonly Name[],
): Template<Name> {
  const isName = (found: string): found is Name => names.some((name) => name === found)
  // Text and names in turns: the pattern has one group.
  const parts = text.split(/\{\{(\w+)\}\}/)
  const places = parts.map((part, index) => {
    if (index % 2 === 0) return { text: part }
    if (!isName(part)) throw new Error(`the template has a placeholder {{${part}}} without a value`)
    return { name: part }
  })
  for (const name of names) {
    if (!places.some((place) => place.name === name)) {
      throw new Error(`the template has no place {{${name}}}`)
    }
  }
  return (values) =>
    places.map((place) => (place.name === undefined ? place.text : values[place.name])).join('')
}
