/** Texts, single marks, and everything else that is no space: numbers, `true`, `false`, `null`. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g

/**
 * Lays JSON out over lines, two spaces a level. Only spaces between the parts
 * change: numbers keep their digits (`1.10`), texts their escapes, names given
 * twice stay twice.
 *
 * @param json valid JSON
 * @param charactersMax ends there, after a whole part: deep nesting would fill the memory with spaces
 */
export function laidOutJson(json: string, charactersMax: number): string {
  let text = ''
  let depth = 0
  let before = ''
  for (const [part] of json.matchAll(token)) {
    if (text.length > charactersMax) break
    const isEnd = part === '}' || part === ']'
    if (isEnd) depth -= 1
    const opens = before === '{' || before === '['
    const startsLine = isEnd ? !opens : opens || before === ','
    if (startsLine) text += `\n${'  '.repeat(Math.min(depth, levelsMax))}`
    else if (before === ':') text += ' '
    text += part
    if (part === '{' || part === '[') depth += 1
    before = part
  }
  return text
}

/** Deeper ones stand no further to the right. */
const levelsMax = 100

/** The same JSON on one line without spaces between its parts. @param json valid JSON */
export function compactJson(json: string): string {
  return (json.match(token) ?? []).join('')
}
