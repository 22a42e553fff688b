import { type Document, isSeq, parseDocument } from 'yaml'

export interface PlanEntry {
  readonly api: string
  readonly version: string
}

/** What a plan says about an API: all of its versions, this one, only others, or nothing. */
export function standingOf(text: string, { api, version }: PlanEntry): 'has' | 'others' | 'none' {
  const patterns = patternsOf(parseDocument(text))
  if (patterns.includes(`${api}@*`) || patterns.includes(`${api}@${version}`)) return 'has'
  return patterns.some((pattern) => String(pattern).startsWith(`${api}@`)) ? 'others' : 'none'
}

/** The text of a plan that also has a pattern. Comments and order stay. */
export function planWith(text: string, pattern: string): string {
  const document = parseDocument(text)
  const apis = document.get('apis')
  if (isSeq(apis)) apis.add(document.createNode(pattern))
  else document.set('apis', document.createNode([pattern], { flow: true }))
  return document.toString({ lineWidth: 0 })
}

function patternsOf(document: Document): readonly unknown[] {
  const apis = document.get('apis')
  const patterns: unknown = isSeq(apis) ? apis.toJSON() : []
  return Array.isArray(patterns) ? patterns : []
}

export const newPlanLimit = '100 calls an hour for each operation'

/** The text of a plan for an API that has none. */
export function newPlan(name: string, api: string): string {
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)} Plan`
  return `title: ${title}
description: ${newPlanLimit}.
apis: ['${api}@*']
limits:
  - { name: hourly, calls: 100, window: PT1H, scope: operation }
mode: enforce
onStoreOutage: local-share
`
}
