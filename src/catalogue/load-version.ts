import type { ApiVersion, JsonObject } from './catalogue.ts'
import { credentialsOf } from './documents/credential-fields.ts'
import { type DocumentFiles, readDocument } from './documents/read-document.ts'
import { type ReadOperation, readOperations } from './documents/read-operations.ts'
import { isJsonObject } from './json.ts'
import { type Publication, readPublication } from './read-publication.ts'
import type { Sources } from './source.ts'

/** A version as the folder of its API names it. */
export interface VersionFiles extends DocumentFiles {
  readonly api: string
  readonly version: string
}

/** A version as far as its own document describes it. */
export interface LoadedVersion
  extends Pick<ApiVersion, 'api' | 'version' | 'title' | 'credentials'>,
    Publication {
  readonly operations: readonly ReadOperation[]
  /** The OpenAPI document as its file has it, in one piece. */
  readonly source: JsonObject
}

/**
 * Loads the document of one version, and reports what keeps it from being
 * served.
 *
 * @returns undefined without a usable document; otherwise its valid parts, even if problems were reported
 */
export function loadVersion(sources: Sources, files: VersionFiles): LoadedVersion | undefined {
  const { api, version } = files
  const source = readDocument(sources, files)
  if (source === undefined) return undefined
  const info = isJsonObject(source['info']) ? source['info'] : {}
  return {
    api,
    version,
    title: typeof info['title'] === 'string' && info['title'].trim() !== '' ? info['title'] : api,
    ...readPublication(sources, source, version),
    credentials: credentialsOf(source),
    operations: readOperations(sources, source),
    source,
  }
}
