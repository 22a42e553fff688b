import type { SampleCall, SampleText, SampleValue } from './sample-call.ts'

/** Names of the variables that a call needs, each once, in the order of their first use. */
export function sampleVariables({ url, headers, bodies }: SampleCall): readonly string[] {
  const texts = [...headers.map(([, value]) => value), url, ...bodies.flatMap(textsOf)]
  const names = texts
    .flat()
    .flatMap((part) => (typeof part === 'object' && 'variable' in part ? [part.variable] : []))
  return [...new Set(names)]
}

function textsOf(value: SampleValue): readonly SampleText[] {
  if (value.kind === 'text') return [value.text]
  if (value.kind === 'list') return value.items.flatMap(textsOf)
  return value.kind === 'object' ? value.members.flatMap(([, member]) => textsOf(member)) : []
}
