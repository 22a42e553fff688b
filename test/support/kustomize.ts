import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'
import type { Json, JsonObject } from '../../src/catalogue/catalogue.ts'
import { isJsonArray, isJsonObject } from '../../src/catalogue/json.ts'

/** An object of Kubernetes. */
export type Manifest = JsonObject & {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: JsonObject & { readonly name: string }
}

/** Kubernetes reads YAML 1.1: `on` is true there, and `0440` is octal. */
const yaml = { version: '1.1' } as const

/**
 * Renders a folder as `kubectl kustomize` does, as far as deploy/kubernetes
 * and docs/kubernetes.md use Kustomize: resources, components, namespace, images,
 * ConfigMaps from literals and files, and patches (RFC 6902, or objects to merge).
 *
 * @throws with file and field for everything else, so that nothing is left out
 */
export function renderKustomization(folder: string): Manifest[] {
  const state: State = { manifests: [], data: new Map(), named: new Set() }
  build(folder, state, 'Kustomization')
  return state.manifests.map((manifest) => withHashedNames(manifest, state))
}

/** As one file for `kubectl apply`. */
export function asYaml(manifests: readonly Manifest[]): string {
  return manifests
    .map((manifest) => stringify(manifest, { ...yaml, aliasDuplicateObjects: false }))
    .join('---\n')
}

/** The objects of a file. */
export function readManifests(file: string): Manifest[] {
  return manifestsIn(readFileSync(file, 'utf8'), file)
}

function manifestsIn(given: string, file: string): Manifest[] {
  return parseAllDocuments(given, yaml).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]?.message}`)
    const manifest: unknown = document.toJS()
    if (!isManifest(manifest)) throw new Error(`${file}: an object lacks kind or metadata.name`)
    return manifest
  })
}

/** What a rendering has so far. Inner folders come first, so an overlay sees what it changes. */
interface State {
  manifests: Manifest[]
  /** Data of each generated ConfigMap, by its name. */
  readonly data: Map<string, Map<string, string>>
  /** Those that keep their names when their data changes. */
  readonly named: Set<string>
}

const fields = [
  'apiVersion',
  'kind',
  'resources',
  'components',
  'namespace',
  'images',
  'configMapGenerator',
  'patches',
]

/** Objects without a namespace. */
const clusterWide = ['Namespace']

function build(folder: string, state: State, kind: 'Kustomization' | 'Component'): void {
  const file = join(folder, 'kustomization.yaml')
  const given: unknown = parse(readFileSync(file, 'utf8'), yaml)
  if (!isJsonObject(given)) throw new Error(`${file}: is not an object`)
  only(given, fields, file)
  if (given['kind'] !== kind) throw new Error(`${file}: kind must be ${kind}`)
  // A component changes what is there; a folder under `resources` knows only itself.
  for (const path of texts(given['resources'], `${file}: resources`)) {
    const at = join(folder, path)
    if (!statSync(at).isDirectory()) add(state, readManifests(at), at)
    else {
      const inner: State = { ...state, manifests: [] }
      build(at, inner, 'Kustomization')
      add(state, inner.manifests, at)
    }
  }
  generate(given, { state, folder, file })
  for (const path of texts(given['components'], `${file}: components`)) {
    build(join(folder, path), state, 'Component')
  }
  for (const patch of objects(given['patches'], `${file}: patches`)) {
    applyPatch(patch, { state, folder, file })
  }
  const { namespace } = given
  if (namespace !== undefined) {
    state.manifests = state.manifests.map((one) => inNamespace(one, text(namespace, file)))
  }
  for (const image of objects(given['images'], `${file}: images`)) {
    only(image, ['name', 'newName', 'newTag', 'digest'], `${file}: images`)
    state.manifests = state.manifests.map((one) => withImage(one, image) as Manifest)
  }
}

function add(state: State, manifests: readonly Manifest[], from: string): void {
  for (const manifest of manifests) {
    if (state.manifests.some((one) => idOf(one) === idOf(manifest))) {
      throw new Error(`${from}: ${idOf(manifest)} is there twice`)
    }
    state.manifests.push(manifest)
  }
}

const idOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`

function generate(
  given: JsonObject,
  { state, folder, file }: { state: State; folder: string; file: string },
): void {
  for (const one of objects(given['configMapGenerator'], `${file}: configMapGenerator`)) {
    only(one, ['name', 'behavior', 'options', 'literals', 'files'], `${file}: configMapGenerator`)
    const name = text(one['name'], file)
    const { behavior } = one
    const changes = behavior === 'merge' || behavior === 'replace'
    if (behavior !== undefined && !changes) throw new Error(`${file}: ${name}: behavior`)
    if (changes !== state.data.has(name)) {
      throw new Error(
        `${file}: the ConfigMap ${name} ${changes ? 'is not there' : 'is there twice'}`,
      )
    }
    const data = (behavior === 'replace' ? undefined : state.data.get(name)) ?? new Map()
    state.data.set(name, data)
    for (const literal of texts(one['literals'], `${file}: literals`)) {
      const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(literal) ?? []
      if (key === '') throw new Error(`${file}: "${literal}" is not NAME=value`)
      data.set(key, value)
    }
    for (const path of texts(one['files'], `${file}: files`)) {
      if (path.includes('=')) throw new Error(`${file}: "${path}" is not the path of a file`)
      data.set(basename(path), readFileSync(join(folder, path), 'utf8'))
    }
    if (changes) continue
    const { options = {} } = one
    if (!isJsonObject(options)) throw new Error(`${file}: options is not an object`)
    only(options, ['labels', 'disableNameSuffixHash'], `${file}: options`)
    const { disableNameSuffixHash: isNamed, ...labels } = options
    if (isNamed === true) state.named.add(name)
    add(state, [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...labels } }], file)
  }
}

/** A changed ConfigMap has another name, so that pods that read it are replaced. */
function withHashedNames(manifest: Manifest, { data, named }: State): Manifest {
  const names = new Map(
    [...data].map(([name, given]) => [name, named.has(name) ? name : `${name}-${hashOf(given)}`]),
  )
  const { kind, metadata } = manifest
  const given = kind === 'ConfigMap' ? data.get(metadata.name) : undefined
  if (given !== undefined) {
    const name = names.get(metadata.name) ?? ''
    return { ...manifest, metadata: { ...metadata, name }, data: Object.fromEntries(sorted(given)) }
  }
  return rename(manifest, names) as Manifest
}

function rename(value: Json | undefined, names: ReadonlyMap<string, string>): Json {
  if (isJsonArray(value)) return value.map((item) => rename(item, names))
  if (!isJsonObject(value)) return value ?? null
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const inner = rename(member, names)
      if (!['configMapRef', 'configMap'].includes(key) || !isJsonObject(inner)) return [key, inner]
      const name = String(inner['name'])
      return [key, { ...inner, name: names.get(name) ?? name }]
    }),
  )
}

const sorted = (data: ReadonlyMap<string, string>) =>
  [...data].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

/** As Kustomize does: SHA-256 of Go's JSON without the name, whose digits are written so that they form no words. */
function hashOf(data: ReadonlyMap<string, string>): string {
  const values = Object.fromEntries(sorted(data))
  // Go escapes what could end a script.
  const json = JSON.stringify({ data: values, kind: 'ConfigMap', name: '' }).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const digest = createHash('sha256').update(json).digest('hex').slice(0, 10)
  const written: Readonly<Record<string, string>> = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' }
  return [...digest].map((char) => written[char] ?? char).join('')
}

function applyPatch(
  given: JsonObject,
  { state, folder, file }: { state: State; folder: string; file: string },
): void {
  only(given, ['target', 'patch', 'path'], `${file}: patches`)
  const { target } = given
  if (target === undefined) {
    const whole = given['path'] === undefined ? given['patch'] : undefined
    const patches =
      whole === undefined
        ? readManifests(join(folder, text(given['path'], file)))
        : manifestsIn(text(whole, file), file)
    for (const patch of patches) {
      const { kind, metadata } = patch
      const isSame = (one: Manifest) => one.kind === kind && one.metadata.name === metadata.name
      change(state, isSame, { file, what: idOf(patch) }, (one) => merged(one, patch, file))
    }
    return
  }
  if (!isJsonObject(target)) throw new Error(`${file}: target is not an object`)
  only(target, ['kind', 'name'], `${file}: target`)
  const operations: unknown = parse(text(given['patch'], file), yaml)
  if (!isJsonArray(operations)) throw new Error(`${file}: patch is not a list of operations`)
  const kinds = text(target['kind'], file).split('|')
  const name = target['name'] === undefined ? undefined : text(target['name'], file)
  const isTarget = (one: Manifest) =>
    kinds.includes(one.kind) && (name === undefined || one.metadata.name === name)
  change(state, isTarget, { file, what: `${kinds.join(' or ')} ${name ?? ''}` }, (one) =>
    operations.filter(isJsonObject).reduce((value, { op, path, value: given }) => {
      const [, ...steps] = String(path)
        .split('/')
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      return operate(value, steps, { op: String(op), value: given ?? null, file })
    }, one as Json),
  )
}

/** Stricter than Kustomize, which ignores a target that does not exist. */
function change(
  state: State,
  isMeant: (manifest: Manifest) => boolean,
  { file, what }: { readonly file: string; readonly what: string },
  changed: (manifest: Manifest) => Json,
): void {
  let found = 0
  state.manifests = state.manifests.map((one) => {
    if (!isMeant(one)) return one
    found++
    const result = changed(one)
    if (!isManifest(result)) throw new Error(`${file}: the patch of ${idOf(one)} breaks it`)
    return result
  })
  if (found === 0) throw new Error(`${file}: there is no ${what} to patch`)
}

/** One operation of RFC 6902. */
function operate(
  value: Json | undefined,
  [step, ...rest]: readonly string[],
  how: { readonly op: string; readonly value: Json; readonly file: string },
): Json {
  const { op, file } = how
  const fail = (what: string): Error => new Error(`${file}: ${op} at "${step}": ${what}`)
  if (!['add', 'replace', 'remove'].includes(op)) throw fail('is not add, replace or remove')
  if (step === undefined) throw fail('the path is empty')
  if (isJsonArray(value)) {
    const index = step === '-' ? value.length : Number(step)
    if (rest.length > 0) return value.with(index, operate(value[index], rest, how))
    if (op === 'add') return value.toSpliced(index, 0, how.value)
    if (!(index < value.length)) throw fail('no such item')
    return op === 'remove' ? value.toSpliced(index, 1) : value.with(index, how.value)
  }
  if (!isJsonObject(value)) throw fail('is in neither a list nor an object')
  if ((rest.length > 0 || op !== 'add') && !(step in value)) throw fail('no such member')
  if (rest.length > 0) return { ...value, [step]: operate(value[step], rest, how) }
  if (op !== 'remove') return { ...value, [step]: how.value }
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step))
}

/** Lists that Kubernetes replaces as a whole. */
const wholeLists = ['egress', 'hostnames']

/** A patch of maps. Lists have rules by type in Kubernetes, so most may only be added. */
function merged(value: Json | undefined, patch: Json, file: string, field = ''): Json {
  if (!isJsonObject(value) || !isJsonObject(patch)) {
    if (isJsonArray(value) || isJsonArray(patch)) {
      if (value !== undefined && !wholeLists.includes(field)) {
        throw new Error(`${file}: a patch of the list ${field}; write it as operations`)
      }
    }
    return patch
  }
  const changes = Object.entries(patch).map(([key, member]) => [
    key,
    merged(value[key], member ?? null, file, key),
  ])
  return { ...value, ...Object.fromEntries(changes) }
}

function inNamespace(manifest: Manifest, namespace: string): Manifest {
  const { kind, metadata } = manifest
  if (clusterWide.includes(kind)) return { ...manifest, metadata: { ...metadata, name: namespace } }
  return { ...manifest, metadata: { ...metadata, namespace } }
}

function withImage(value: Json | undefined, image: JsonObject): Json {
  if (isJsonArray(value)) return value.map((item) => withImage(item, image))
  if (!isJsonObject(value)) return value ?? null
  const entries = Object.entries(value).map(([key, member]): [string, Json] => {
    if (key !== 'image' || typeof member !== 'string') return [key, withImage(member, image)]
    const [, name = '', end = ''] = /^(.+?)((?::[^/:@]+)?(?:@.+)?)$/.exec(member) ?? []
    if (name !== image['name']) return [key, member]
    const { newName = name, newTag, digest } = image
    const chosen = digest === undefined ? (newTag === undefined ? end : `:${newTag}`) : `@${digest}`
    return [key, `${newName}${chosen}`]
  })
  return Object.fromEntries(entries)
}

function isManifest(value: unknown): value is Manifest {
  if (!isJsonObject(value)) return false
  const { apiVersion, kind, metadata } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return false
  return isJsonObject(metadata) && typeof metadata['name'] === 'string'
}

function only(value: JsonObject, allowed: readonly string[], where: string): void {
  const unknown = Object.keys(value).filter((key) => !allowed.includes(key))
  if (unknown.length > 0) {
    throw new Error(`${where}: this renderer does not know ${unknown.join(', ')}`)
  }
}

function text(value: Json | undefined, where: string): string {
  if (typeof value !== 'string') throw new Error(`${where}: ${JSON.stringify(value)} is no text`)
  return value
}

function texts(value: Json | undefined, where: string): string[] {
  if (value === undefined) return []
  if (!isJsonArray(value)) throw new Error(`${where}: is not a list`)
  return value.map((item) => text(item, where))
}

function objects(value: Json | undefined, where: string): readonly JsonObject[] {
  if (value === undefined) return []
  if (!isJsonArray(value) || !value.every(isJsonObject)) {
    throw new Error(`${where}: is not a list of objects`)
  }
  return value
}
