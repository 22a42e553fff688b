import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { JsonObject } from './catalogue.ts'
import { pointerNames, pointerToken } from './json.ts'
import { locate } from './reference.ts'
import { describeFaults, type SchemaFault } from './schema-faults.ts'

/** The schemas of one document as functions. A schema is compiled when it is first used. */
export interface SchemaCompiler {
  /**
   * What is wrong with a value by the schema at `pointer`, empty when nothing
   * is. At most 100 faults. The value is not changed.
   *
   * @throws {Error} when there is no such schema or it does not compile
   */
  faults(pointer: string, value: unknown): readonly SchemaFault[]
  /** Why the schema at `pointer` does not compile; undefined when it does. */
  compile(pointer: string): string | undefined
}

const documentId = 'urn:tollgate:document'

/** Creates the compiler of a document's schemas: JSON Schema 2020-12, formats checked, nothing coerced. */
export function createSchemaCompiler(document: JsonObject): SchemaCompiler {
  const ajv = new Ajv2020({
    allErrors: true,
    // Faults are told in words, for which the schema around them is needed.
    verbose: true,
    // Unknown keywords, formats and types were refused when the document was loaded.
    strict: false,
    validateSchema: false,
    logger: false,
  })
  formats.default(ajv)
  ajv.addSchema(document, documentId)

  let pointers: WeakMap<object, string> | undefined

  function validator(pointer: string): ValidateFunction {
    // Schemas that are only a reference share the function of what they refer to.
    const target = locate(document, pointer)?.pointer ?? pointer
    const fragment = (pointerNames(target) ?? [])
      .map((name) => `/${encodeURIComponent(pointerToken(name))}`)
      .join('')
    const validate = ajv.getSchema(`${documentId}#${fragment}`)
    if (validate === undefined) throw new Error(`there is no schema at ${pointer}`)
    return validate
  }

  /** Where a schema stands in the document. Only asked for alternatives, once something failed. */
  function pointerOf(schema: object): string | undefined {
    pointers ??= pointersOf(document)
    return pointers.get(schema)
  }

  function faults(pointer: string, value: unknown): readonly SchemaFault[] {
    const validate = validator(pointer)
    if (validate(value)) return []
    return describeFaults({ errors: validate.errors ?? [], document, pointerOf, faults })
  }

  return {
    faults,
    compile(pointer) {
      try {
        validator(pointer)
        return undefined
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
  }
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
