import { JSONPathError, jsonpath } from 'json-p3'
import type { Json, JsonObject } from '../catalogue.ts'
import { isJsonArray, isJsonObject, objectsOf } from '../json.ts'
import { readMapping, type Sources } from '../source.ts'

export interface OverlayOptions {
  readonly sources: Sources
  /** Path of the overlay, below the folder of the configuration. */
  readonly path: string
  /** Not changed; the result shares with it what no action changes. */
  readonly document: JsonObject
}

type Container = Record<string, Json | undefined> | Json[]
type Step = string | number

/** Why an action cannot be applied. */
class ActionInvalid extends Error {}

/**
 * Applies an OpenAPI Overlay (OAI Overlay 1.0 and 1.1) to a document, action
 * after action. An action that breaks the specification is reported and has no
 * effect.
 */
export function applyOverlay({ sources, path, document }: OverlayOptions): JsonObject {
  const overlay = readMapping(sources, path, 'overlay-invalid')
  if (overlay === undefined) return document
  const refuse = (at: JsonObject, member: string | undefined, message: string, example?: string) =>
    sources.report({ rule: 'overlay-invalid', at, member, message, example })
  const { overlay: version, actions } = overlay
  if (typeof version !== 'string' || !/^1\.[01]\.[0-9]+$/.test(version)) {
    refuse(
      overlay,
      'overlay',
      `${JSON.stringify(version)} is not a version of Overlay 1.0 or 1.1`,
      '1.1.0',
    )
    return document
  }
  if (!isJsonArray(actions) || actions.length === 0) {
    refuse(overlay, 'actions', 'must be a list of at least one action')
    return document
  }
  const isFirst = version.startsWith('1.0.')
  // A wrapper, so that an action on the whole document is one on a member.
  const root: Record<string, Json | undefined> = { document }
  for (const action of objectsOf(actions)) {
    try {
      const isEffective = apply(action)
      if (isEffective) continue
      const message = `${JSON.stringify(action['target'])} selects nothing`
      sources.warn({ rule: 'overlay-without-effect', at: action, member: 'target', message })
    } catch (error) {
      if (!(error instanceof ActionInvalid) && !(error instanceof JSONPathError)) throw error
      refuse(action, undefined, error.message)
    }
  }
  const changed = root['document']
  if (isJsonObject(changed)) return changed
  refuse(overlay, 'actions', 'the document is no mapping any more')
  return document

  /** Returns whether the target selects anything. */
  function apply(action: JsonObject): boolean {
    const { target, update, copy, remove } = action
    const places = placesOf(target)
    const own = new Set<Container>()
    if (remove === true) {
      for (const place of places) removeFrom(...writable(place, own))
      return places.length > 0
    }
    const value = copy === undefined ? update : sourceOf(copy)
    if (value === undefined) throw new ActionInvalid('must have one of update, copy and remove')
    const kinds = new Set(places.map((place) => kindOf(valueAt(place))))
    if (kinds.size > 1) {
      throw new ActionInvalid(
        'the target selects values of different kinds: objects, lists and others',
      )
    }
    for (const place of places) {
      setMember(...writable(place, own), updated(valueAt(place), value))
    }
    return places.length > 0
  }

  function sourceOf(path: Json): Json {
    if (isFirst) throw new ActionInvalid('copy is of Overlay 1.1')
    const [first, second] = placesOf(path)
    if (first === undefined || second !== undefined) {
      throw new ActionInvalid(`${JSON.stringify(path)} must select one value`)
    }
    return valueAt(first) ?? null
  }

  /**
   * The steps from the root to every value that a JSONPath selects, once each. Later items of a list come first, so
   * that a removal leaves the other places right, and so do inner values: an update replaces what holds them by a copy.
   */
  function placesOf(path: Json | undefined): readonly (readonly Step[])[] {
    if (typeof path !== 'string') throw new ActionInvalid('target and copy must be a JSONPath')
    const { document: whole } = root
    return Array.from(jsonpath.query(path, whole as never), ({ location }) => [
      'document',
      ...location,
    ])
      .sort(compareFromEnd)
      .filter((place, at, all) => compareFromEnd(place, all[at - 1] ?? []) !== 0)
  }

  function valueAt(place: readonly Step[]): Json | undefined {
    return place.reduce<Json | undefined>(
      (value, step) => memberOf(value as Container, step),
      root as Json,
    )
  }

  /**
   * The container of a place and the key in it, to be changed. Copies each
   * container on the way, once an action: the document and other places share
   * them.
   *
   * @param own those that the action has copied
   */
  function writable(place: readonly Step[], own: Set<Container>): [Container, Step] {
    let holder: Container = root
    for (const step of place.slice(0, -1)) {
      const shared = memberOf(holder, step) as Container
      const copy = own.has(shared) ? shared : copyOf(shared)
      own.add(copy)
      setMember(holder, step, copy)
      holder = copy
    }
    return [holder, place.at(-1) ?? '']
  }

  function updated(value: Json | undefined, by: Json): Json {
    if (isJsonArray(value)) {
      const items = isJsonArray(by) && !isFirst ? by : [by]
      return withPlace([...value, ...items], value)
    }
    if (isJsonObject(value)) {
      if (!isJsonObject(by))
        throw new ActionInvalid('the target is an object, so update must be one')
      return merged(value, by)
    }
    if (typeof by === 'object' && by !== null) {
      throw new ActionInvalid(
        'the target is neither an object nor a list, so update must be neither',
      )
    }
    return by
  }

  function merged(value: JsonObject, by: JsonObject): JsonObject {
    const all: Record<string, Json | undefined> = { ...value }
    for (const [name, member] of Object.entries(by)) {
      if (member === undefined) continue
      const before = Object.hasOwn(value, name) ? value[name] : undefined
      all[name] = before === undefined ? member : mergedMember(name, before, member)
    }
    return withPlace(all, value)
  }

  function mergedMember(name: string, before: Json, by: Json): Json {
    if (kindOf(before) !== kindOf(by)) {
      throw new ActionInvalid(`${name} is of another kind in the document`)
    }
    if (isJsonArray(before) && isJsonArray(by)) {
      return withPlace([...before, ...by], before)
    }
    return isJsonObject(before) && isJsonObject(by) ? merged(before, by) : by
  }

  function copyOf(container: Container): Container {
    return withPlace(Array.isArray(container) ? [...container] : { ...container }, container)
  }

  function withPlace<Value extends object>(copy: Value, original: object): Value {
    sources.adopt(copy, original)
    return copy
  }
}

/** Orders later items of a list before earlier ones, and inner places before those that hold them. */
function compareFromEnd(one: readonly Step[], other: readonly Step[]): number {
  for (const [at, step] of one.entries()) {
    const against = other[at]
    if (step !== against) return against === undefined || step > against ? -1 : 1
  }
  return other.length - one.length
}

function memberOf(holder: Container, key: Step): Json | undefined {
  return (holder as Record<string | number, Json | undefined>)[key]
}

function setMember(holder: Container, key: Step, value: Json): void {
  ;(holder as Record<string | number, Json>)[key] = value
}

function removeFrom(holder: Container, key: Step): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

function kindOf(value: Json | undefined): 'list' | 'object' | 'other' {
  if (isJsonArray(value)) return 'list'
  return isJsonObject(value) ? 'object' : 'other'
}
