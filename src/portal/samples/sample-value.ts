import type { Json } from '../../catalogue/catalogue.ts'
import { isJsonArray, isJsonObject } from '../../catalogue/json.ts'
import type { SampleValue } from './sample-call.ts'

const none: ReadonlyMap<string, string> = new Map()

/**
 * Makes the value of a sample from JSON.
 *
 * @param fresh members of the object itself that are new in every run, with the text they begin with
 */
export function sampleValue(json: Json, fresh: ReadonlyMap<string, string> = none): SampleValue {
  if (typeof json === 'string') return { kind: 'text', text: [json] }
  if (isJsonArray(json)) return { kind: 'list', items: json.map((item) => sampleValue(item)) }
  if (!isJsonObject(json)) return { kind: 'constant', value: json }
  const members = Object.entries(json).map(([name, value = null]) => {
    const start = fresh.get(name)
    const written: SampleValue =
      start === undefined ? sampleValue(value) : { kind: 'text', text: [start, { fresh: 'short' }] }
    return [name, written] as const
  })
  return { kind: 'object', members }
}
