/** Matches strings, punctuation, and everything else that is not white space: numbers, `true`, `false`, `null`. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g

/**
 * Indents JSON by two spaces a level. Changes only the white space between
 * tokens: numbers keep their digits (`1.10`), strings their escapes, and
 * duplicate names stay.
 *
 * @param json valid JSON
 * @param charactersMax stops there, after a whole token: deep nesting would fill the memory with spaces
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

/** Deeper levels are not indented further. */
const levelsMax = 100
