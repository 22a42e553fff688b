import type { SampleCall, SamplePart, SampleText } from './sample-call.ts'
import { sampleVariables } from './sample-variables.ts'
import { type Notation, writeValue } from './write-value.ts'

/** Writes a call as a program for Python 3 with the package requests, which sets Content-Type with `json=`. */
export function pythonSample(sample: SampleCall): string {
  const { method, url, headers, bodies, before, after } = sample
  const indentation = bodies.length > 1 ? '    ' : ''
  const inner = `${indentation}    `
  const [only] = bodies
  const body =
    only === undefined ? [] : [bodies.length > 1 ? 'body' : writeValue(only, notation, inner)]
  const call = [
    `response = requests.${method.toLowerCase()}(`,
    `    ${text(url)},`,
    '    headers={',
    ...headers.map(([name, value]) => `        ${quoted(name)}: ${text(value)},`),
    '    },',
    ...body.map((value) => `    json=${value},`),
    ')',
    'print(response.status_code, response.text)',
  ].map((line) => `${indentation}${line}`)
  const comments = (lines: readonly string[]) => lines.map((line) => `# ${line}`)
  const loop =
    bodies.length < 2
      ? call
      : [
          'for body in [',
          ...bodies.map((value) => `    ${writeValue(value, notation, '    ')},`),
          ']:',
          ...call,
        ]
  return [
    ...comments(before),
    'import os',
    'import uuid',
    '',
    'import requests',
    '',
    ...checks(sampleVariables(sample)),
    ...loop,
    ...comments(after),
  ].join('\n')
}

/** Without them, a variable that is empty would be sent, and one that is not set would end in a traceback. */
function checks(variables: readonly string[]): readonly string[] {
  if (variables.length === 0) return []
  return [
    `for name in [${variables.map(quoted).join(', ')}]:`,
    '    if not os.environ.get(name):',
    "        raise SystemExit(f'{name} is not set')",
    '',
  ]
}

const notation: Notation = {
  text,
  constant: (value) => {
    if (value === null) return 'None'
    if (typeof value === 'boolean') return value ? 'True' : 'False'
    return JSON.stringify(value)
  },
  name: quoted,
  padding: '',
  indentation: '    ',
  hasTrailingComma: true,
}

function text(parts: SampleText): string {
  const [first] = parts
  if (parts.length === 1 && first !== undefined && typeof first !== 'string') {
    return expression(first)
  }
  if (parts.every((part) => typeof part === 'string')) return quoted(parts.join(''))
  const pieces = parts.map((part) =>
    typeof part === 'string'
      ? JSON.stringify(part).slice(1, -1).replaceAll(/[{}]/g, '$&$&')
      : `{${expression(part)}}`,
  )
  return `f"${pieces.join('')}"`
}

/** The escapes of JSON are those of Python, too. */
function quoted(literal: string): string {
  const inside = JSON.stringify(literal).slice(1, -1).replaceAll('\\"', '"')
  return `'${inside.replaceAll("'", "\\'")}'`
}

function expression(part: Exclude<SamplePart, string>): string {
  if ('variable' in part) return `os.environ['${part.variable}']`
  return part.fresh === 'uuid' ? 'str(uuid.uuid4())' : 'uuid.uuid4().hex[:8]'
}
