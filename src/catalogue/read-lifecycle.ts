import type { JsonObject, Lifecycle } from './catalogue.ts'
import { parseDate } from './lifecycle.ts'
import type { Sources } from './source.ts'

const lifecycleDates = ['deprecated', 'sunset', 'retired'] as const

/** Reads when a version ends; what is wrong in it is reported and left out. */
export function readLifecycle(sources: Sources, at: JsonObject): Lifecycle {
  const lifecycle: { -readonly [member in keyof Lifecycle]: Lifecycle[member] } = {}
  for (const [member, value] of Object.entries(at)) {
    const date = lifecycleDates.find((name) => name === member)
    if (date !== undefined) {
      if (typeof value === 'string' && parseDate(value) !== undefined) lifecycle[date] = value
      else {
        const message = `${JSON.stringify(value)} is not a day of the calendar`
        sources.report({ rule: 'lifecycle-date', at, member, message, example: '2027-10-31' })
      }
    } else if (member === 'successor') {
      if (typeof value === 'string') lifecycle.successor = value
      else reportSuccessor(sources, at, `${JSON.stringify(value)} is not a version`)
    } else {
      const message = `is not known; there are: ${[...lifecycleDates, 'successor'].join(', ')}`
      sources.report({ rule: 'lifecycle-member', at, member, message })
    }
  }
  checkOrder(sources, at, lifecycle)
  return lifecycle
}

/** Reports an invalid successor; whether it exists is known only when all versions are loaded. */
export function reportSuccessor(sources: Sources, at: JsonObject, message: string): void {
  const example = '"1.7.0"'
  sources.report({ rule: 'lifecycle-successor', at, member: 'successor', message, example })
}

function checkOrder(sources: Sources, at: JsonObject, lifecycle: Lifecycle): void {
  let last: { name: string; date: string } | undefined
  for (const name of lifecycleDates) {
    const date = lifecycle[name]
    if (date === undefined) continue
    // ISO dates sort as text.
    if (last !== undefined && date < last.date) {
      const message = `${date} is before ${last.name}, ${last.date}`
      sources.report({ rule: 'lifecycle-order', at, member: name, message })
    }
    last = { name, date }
  }
}
