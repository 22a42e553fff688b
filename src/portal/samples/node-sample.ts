import type { SampleCall, SamplePart, SampleText } from './sample-call.ts'
import { sampleVariables } from './sample-variables.ts'
import { type Notation, writeValue } from './write-value.ts'

/** Writes a call as a module for Node (.mjs), with its own fetch. */
export function nodeSample(sample: SampleCall): string {
  const { method, url, headers, bodies, before, after } = sample
  const indentation = bodies.length > 1 ? '  ' : ''
  const inner = `${indentation}  `
  const fields = [
    ...headers.map(([name, value]) => `${quoted(name)}: ${text(value)},`),
    ...(bodies.length === 0 ? [] : ["'Content-Type': 'application/json',"]),
  ]
  const [only] = bodies
  const body =
    only === undefined ? [] : [bodies.length > 1 ? 'body' : writeValue(only, notation, inner)]
  const call = [
    `const response = await fetch(${text(url)}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    ...fields.map((field) => `    ${field}`),
    '  },',
    ...body.map((value) => `  body: JSON.stringify(${value}),`),
    '})',
    'console.log(response.status, await response.text())',
  ].map((line) => `${indentation}${line}`)
  const comments = (lines: readonly string[]) => lines.map((line) => `// ${line}`)
  const start = [...comments(before), ...checks(sampleVariables(sample))]
  if (bodies.length < 2) return [...start, ...call, ...comments(after)].join('\n')
  return [
    ...start,
    'for (const body of [',
    ...bodies.map((value) => `  ${writeValue(value, notation, '  ')},`),
    ']) {',
    ...call,
    '}',
    ...comments(after),
  ].join('\n')
}

/** Without them, fetch would send the text "undefined". */
function checks(variables: readonly string[]): readonly string[] {
  if (variables.length === 0) return []
  return [
    `for (const name of [${variables.map(quoted).join(', ')}]) {`,
    `  if (!process.env[name]) throw new Error(\`\${name} is not set\`)`,
    '}',
  ]
}

const notation: Notation = {
  text,
  constant: (value) => JSON.stringify(value),
  name: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)),
  padding: ' ',
  indentation: '  ',
  hasTrailingComma: true,
}

function text(parts: SampleText): string {
  const [first] = parts
  if (parts.length === 1 && first !== undefined && typeof first !== 'string') {
    return expression(first)
  }
  if (parts.every((part) => typeof part === 'string')) return quoted(parts.join(''))
  const pieces = parts.map((part) =>
    typeof part === 'string' ? escaped(part, /`|\$(?=\{)/g) : `\${${expression(part)}}`,
  )
  return `\`${pieces.join('')}\``
}

function quoted(literal: string): string {
  return `'${escaped(literal, /'/g)}'`
}

/** The escapes of JSON are those of JavaScript; its quotes need none here. */
function escaped(literal: string, quotes: RegExp): string {
  const inside = JSON.stringify(literal).slice(1, -1).replaceAll('\\"', '"')
  return inside.replaceAll(quotes, '\\$&')
}

function expression(part: Exclude<SamplePart, string>): string {
  if ('variable' in part) return `process.env.${part.variable}`
  return part.fresh === 'uuid' ? 'crypto.randomUUID()' : 'crypto.randomUUID().slice(0, 8)'
}
