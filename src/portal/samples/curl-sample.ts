import type { SampleCall, SamplePart, SampleText, SampleValue } from './sample-call.ts'
import { type Notation, writeValue } from './write-value.ts'

/** Writes a call as commands for a POSIX shell with curl and uuidgen. */
export function curlSample({ method, url, headers, bodies, before, after }: SampleCall): string {
  const glob = url.some((part) => typeof part === 'string' && /[[\]{}]/.test(part)) ? ' -g' : ''
  const options = [
    `curl -i${glob}${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...headers.map(([name, value]) => `-H ${quoted([`${name}: `, ...value])}`),
    ...(bodies.length === 0 ? [] : ["-H 'Content-Type: application/json'"]),
  ]
  const [only, ...others] = bodies.map((body) => `'${writeValue(body, json, '  ')}'`)
  const comments = (lines: readonly string[]) => lines.map((line) => `# ${line}`)
  if (only === undefined || others.length === 0) {
    const body = only === undefined ? [] : [`--data ${only}`]
    const command = [...options, ...body].join(' \\\n  ')
    return [...comments(before), command, ...comments(after)].join('\n')
  }
  return [
    ...comments(before),
    `for body in ${[only, ...others].join(' ')}; do`,
    `  ${[...options, '--data "$body"'].join(' \\\n    ')}`,
    '  echo',
    'done',
    ...comments(after),
  ].join('\n')
}

/** Writes a value as JSON for reading, on one line where it fits. */
export function writeJson(value: SampleValue): string {
  const text = (parts: SampleText): string => JSON.stringify(parts.join(''))
  return writeValue(value, { ...json, text, name: (name) => JSON.stringify(name), padding: ' ' })
}

/** JSON within single quotes of the shell. */
const json: Notation = {
  text: (text) => `"${text.map((part) => inSingleQuotes(part)).join('')}"`,
  constant: (value) => JSON.stringify(value),
  name: (name) => escapedQuotes(JSON.stringify(name)),
  padding: '',
  indentation: '  ',
  hasTrailingComma: false,
}

function inSingleQuotes(part: SamplePart): string {
  if (typeof part !== 'string') return `'"${expression(part)}"'`
  return escapedQuotes(JSON.stringify(part).slice(1, -1))
}

function escapedQuotes(text: string): string {
  return text.replaceAll("'", "'\\''")
}

/** Single quotes hold everything but themselves; a text with an expression needs double ones. */
function quoted(text: SampleText): string {
  if (text.every((part) => typeof part === 'string')) return `'${escapedQuotes(text.join(''))}'`
  const parts = text.map((part) =>
    typeof part === 'string' ? part.replaceAll(/["$\\`]/g, '\\$&') : expression(part),
  )
  return `"${parts.join('')}"`
}

/** The shell runs no command with a variable that is not set or empty, and names it. */
function expression(part: Exclude<SamplePart, string>): string {
  if ('variable' in part) return `\${${part.variable}:?}`
  return part.fresh === 'uuid' ? '$(uuidgen)' : '$(uuidgen | cut -c1-8)'
}
