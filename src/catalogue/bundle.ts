import { posix } from 'node:path'
import type { Json, JsonObject } from './catalogue.ts'
import { createCopyShape, type Found, type Referable } from './copy-shape.ts'
import { isJsonObject, pointerNames, pointerToken, valueAt } from './json.ts'
import { sections } from './openapi-shape.ts'
import { readMapping, type Sources } from './source.ts'

export interface BundleOptions {
  readonly sources: Sources
  /** Path of the version's document, below the folder of the configuration. */
  readonly path: string
}

/** Where a reference leads: a file below the configuration and the members to follow in it. */
interface Target {
  readonly file: string
  readonly names: readonly string[]
}

/**
 * Makes one self-contained OpenAPI document of a version's file and all it
 * refers to, and reports on the way whatever is not OpenAPI 3.1.
 *
 * Path items and security schemes that are referred to are put in place, so
 * `paths` can be read without following anything. Every other reference to another file becomes
 * `#/components/<section>/<name>`, and its target is copied there once, so
 * cycles end. What is wrong is left out: the result can be checked further.
 *
 * @returns undefined if the file is not a mapping, which was then reported
 */
export function bundle({ sources, path: root }: BundleOptions): JsonObject | undefined {
  const content = readMapping(sources, root, 'openapi-structure')
  if (content === undefined) return undefined

  /** The references given out, by section, file and pointer of their target. */
  const linked = new Map<string, string>()
  /** Sections and names those references use, beside the document's own. */
  const given = new Set<string>()
  /** Targets that are still to be copied, with the place they were promised. */
  const promised: { found: Found; shape: Referable; section: string; name: string }[] = []
  const copyShape = createCopyShape({ sources, link, find })

  const document = copyShape({ value: content, file: root, at: content }, 'document')
  if (!isJsonObject(document)) return undefined
  const added: Record<string, Record<string, Json>> = {}
  for (let next = promised.shift(); next !== undefined; next = promised.shift()) {
    const copy = copyShape(next.found, next.shape)
    if (copy === undefined) continue
    const section = added[next.section] ?? {}
    section[next.name] = copy
    added[next.section] = section
  }
  return withComponents(document, added)

  /** Gives the document the copied targets, after its own components. */
  function withComponents(
    original: JsonObject,
    sectionsAdded: Readonly<Record<string, JsonObject>>,
  ): JsonObject {
    const own = isJsonObject(original['components']) ? original['components'] : {}
    const components: Record<string, Json> = {}
    for (const section of new Set([...Object.keys(own), ...Object.keys(sectionsAdded)])) {
      const before = own[section]
      const members = { ...(isJsonObject(before) ? before : {}), ...sectionsAdded[section] }
      // Path items were put in place where they are used.
      if (section === 'pathItems') continue
      sources.adopt(members, isJsonObject(before) ? before : original)
      components[section] = members
    }
    const complete = { ...original, components }
    sources.adopt(components, original)
    sources.adopt(complete, original)
    return complete
  }

  function link(reference: string, shape: Referable, from: Found): string | undefined {
    const section = sections[shape]
    if (section === undefined) throw new Error(`nothing refers to a ${shape}`)
    const target = targetOf(reference, from)
    const value = target && contentOf(target, reference, from)
    if (target === undefined || value === undefined) return undefined
    const pointer = target.names.map((name) => `/${pointerToken(name)}`).join('')
    const key = `${section} ${target.file}#${pointer}`
    const known = linked.get(key)
    if (known !== undefined) return known

    const isInPlace =
      target.file === root &&
      target.names.length === 3 &&
      target.names[0] === 'components' &&
      target.names[1] === section
    const name = isInPlace ? (target.names[2] ?? '') : freeName(section, target)
    const link = `#/components/${section}/${pointerToken(name)}`
    linked.set(key, link)
    if (!isInPlace) promised.push({ found: foundAt(target, value), shape, section, name })
    return link
  }

  function find(reference: string, from: Found): Found | undefined {
    const target = targetOf(reference, from)
    const value = target && contentOf(target, reference, from)
    return target && value !== undefined ? foundAt(target, value) : undefined
  }

  /** Where a reference leads, by its text alone; reported when that is outside of the configuration. */
  function targetOf(reference: string, from: Found): Target | undefined {
    const [path = '', fragment = ''] = reference.split('#', 2)
    const names = pointerNames(fragment)
    if (names === undefined) {
      return unresolvable(from, reference, 'does not name a place by its path (/components/…)')
    }
    if (path === '') return { file: from.file, names }
    const file = posix.join(posix.dirname(from.file), path)
    const isForeign = /^[a-z][a-z0-9+.-]*:|^\//i.test(path)
    if (isForeign || sources.whereIs(file) === 'outside') {
      const message = `${JSON.stringify(reference)} leads out of the configuration`
      sources.report({ rule: 'reference-outside', at: from.at, member: from.member, message })
      return undefined
    }
    return { file, names }
  }

  function contentOf(target: Target, reference: string, from: Found): Json | undefined {
    if (!/\.ya?ml$/.test(target.file) || sources.whereIs(target.file) === 'missing') {
      return unresolvable(from, reference, 'names no YAML file of the configuration')
    }
    const file = sources.read(target.file)
    // What is wrong with the file itself was reported when it was read.
    if (file === undefined) return undefined
    return valueAt(file, target.names) ?? unresolvable(from, reference, 'leads to nothing')
  }

  function foundAt(target: Target, value: Json): Found {
    const parent = valueAt(sources.read(target.file), target.names.slice(0, -1))
    if (typeof parent !== 'object' || parent === null) throw new Error('a value without a parent')
    return { value, file: target.file, at: parent, member: target.names.at(-1) }
  }

  function unresolvable(from: Found, reference: string, what: string): undefined {
    sources.report({
      rule: 'reference-unresolvable',
      at: from.at,
      member: from.member,
      message: `${JSON.stringify(reference)} ${what}`,
    })
  }

  /** The target's own name, or one made of its file's when the document uses that name already. */
  function freeName(section: string, target: Target): string {
    const stem = posix.basename(target.file).replace(/\.ya?ml$/, '')
    const plain = (target.names.at(-1) ?? stem).replace(/[^A-Za-z0-9._-]/g, '-')
    const taken = valueAt(content, ['components', section])
    for (let attempt = 0; ; attempt++) {
      const name = [plain, `${stem}.${plain}`][attempt] ?? `${stem}.${plain}.${attempt}`
      const isTaken =
        (isJsonObject(taken) && Object.hasOwn(taken, name)) || given.has(`${section}/${name}`)
      if (isTaken) continue
      given.add(`${section}/${name}`)
      return name
    }
  }
}
