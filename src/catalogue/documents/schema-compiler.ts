import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { JsonObject } from '../catalogue.ts'
import { pointerNames, pointerToken } from '../json.ts'
import { locate } from './reference.ts'
import { describeFaults, type SchemaFault } from './schema-faults.ts'
import { walkDocument } from './walk-document.ts'

/** The schemas of one document as functions. A schema is compiled when it is first used. */
export interface SchemaCompiler {
  /**
   * What is wrong with a value by the schema at `pointer`, empty when nothing
   * is: at most 100 faults, and of a value with more than 2000 parts only the
   * first, so that a refusal costs no more than a success. The value is not
   * changed.
   *
   * @throws {Error} when there is no such schema or it does not compile
   */
  faults(pointer: string, value: unknown): readonly SchemaFault[]
  /** Why the schema at `pointer` does not compile; undefined when it does. */
  compile(pointer: string): string | undefined
}

export interface SchemaCompilerOptions {
  /** Whether a schema with an unknown keyword or format does not compile. (Default: false, as in JSON Schema) */
  readonly isStrict?: boolean
}

/** Keywords that OpenAPI adds to JSON Schema. They judge no value. */
const openApiKeywords = ['discriminator', 'xml', 'externalDocs', 'example']

const documentId = 'urn:tollgate:document'

/** Values with more parts get only their first fault reported. */
const partsMax = 2000

/** Creates the compiler of a document's schemas: JSON Schema 2020-12, formats checked, nothing coerced. */
export function createSchemaCompiler(
  document: JsonObject,
  { isStrict = false }: SchemaCompilerOptions = {},
): SchemaCompiler {
  // Stops at the first fault: a body made of faults must not cost time for every fault.
  const first = createValidators(document, { allErrors: false, isStrict })
  // Made for the first value that fails: a sender who keeps to the document never needs it.
  let all: Validators | undefined
  let pointers: WeakMap<object, string> | undefined

  /** The place of a schema in the document. Only asked for alternatives, once something failed. */
  function pointerOf(schema: object): string | undefined {
    pointers ??= pointersOf(document)
    return pointers.get(schema)
  }

  function faultsBy(
    validators: Validators,
    pointer: string,
    value: unknown,
  ): readonly SchemaFault[] {
    const validate = validators(pointer)
    if (validate(value)) return []
    return describeFaults({
      errors: validate.errors ?? [],
      document,
      pointerOf,
      faults: (inner, part) => faultsBy(validators, inner, part),
    })
  }

  return {
    faults(pointer, value) {
      if (first(pointer)(value)) return []
      if (isLarge(value)) return faultsBy(first, pointer, value).slice(0, 1)
      all ??= createValidators(document, { allErrors: true, isStrict })
      return faultsBy(all, pointer, value)
    },
    compile(pointer) {
      try {
        first(pointer)
        return undefined
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
  }
}

/**
 * What judges no value: members of the document, which the validator takes for a
 * schema, and what OpenAPI and extensions add to schemas.
 */
function namesBesideKeywords(document: JsonObject): ReadonlySet<string> {
  const extensions = walkDocument(document).flatMap(({ value }) =>
    Object.keys(value).filter((name) => name.startsWith('x-')),
  )
  return new Set([...openApiKeywords, ...Object.keys(document), ...extensions])
}

/** Finds the validator of the schema at a pointer, compiling it at its first use. */
type Validators = (pointer: string) => ValidateFunction

function createValidators(
  document: JsonObject,
  { allErrors, isStrict }: { readonly allErrors: boolean; readonly isStrict: boolean },
): Validators {
  const ajv = new Ajv2020({
    allErrors,
    // The words for a fault need the schema around it.
    verbose: true,
    strictSchema: isStrict,
    // What these refuse is allowed by JSON Schema.
    strictTypes: false,
    strictTuples: false,
    validateSchema: false,
    logger: false,
  })
  formats.default(ajv)
  if (isStrict) allowNames(ajv, namesBesideKeywords(document))
  ajv.addSchema(document, documentId)
  const known = new Map<string, ValidateFunction>()

  return (pointer) => {
    const found = known.get(pointer)
    if (found !== undefined) return found
    // Schemas that are only a reference share the function of what they refer to.
    const target = locate(document, pointer)?.pointer ?? pointer
    const fragment = (pointerNames(target) ?? [])
      .map((name) => `/${encodeURIComponent(pointerToken(name))}`)
      .join('')
    const validate = ajv.getSchema(`${documentId}#${fragment}`)
    if (validate === undefined) throw new Error(`there is no schema at ${pointer}`)
    known.set(pointer, validate)
    return validate
  }
}

/**
 * Lets a strict validator accept members of schemas that judge no value. It writes
 * into the validator's own table, because `addVocabulary` refuses names that the
 * validator knows, and names such as `x-display.name`.
 */
function allowNames(ajv: Ajv2020, names: ReadonlySet<string>): void {
  for (const name of names) ajv.RULES.keywords[name] = true
}

/** Whether a value has more parts than are worth a look at each. */
function isLarge(value: unknown): boolean {
  let parts = 0
  const visit = (part: unknown): boolean => {
    if (++parts > partsMax) return true
    if (typeof part !== 'object' || part === null) return false
    return Object.values(part).some(visit)
  }
  return visit(value)
}

function pointersOf(document: JsonObject): WeakMap<object, string> {
  const pointers = new WeakMap<object, string>()
  const visit = (value: unknown, pointer: string) => {
    if (typeof value !== 'object' || value === null || pointers.has(value)) return
    pointers.set(value, pointer)
    for (const [name, child] of Object.entries(value)) {
      visit(child, `${pointer}/${pointerToken(name)}`)
    }
  }
  visit(document, '')
  return pointers
}
