import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ApiVersion, type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { backendOf } from './backend-of.ts'
import { documentsOf } from './propose.ts'

export interface TwinsOptions {
  readonly catalogue: Catalogue
  /** One of the catalogue. */
  readonly version: ApiVersion
  /** Its document. */
  readonly bytes: Buffer | undefined
  readonly configDir: string
  readonly settings: Settings
}

/** The versions that publish the same as a version under another name, and what they share with it. */
export function twinsOf(options: TwinsOptions): readonly string[] {
  const { catalogue, version, bytes, configDir, settings } = options
  const operations = operationsOf(version)
  const backend = backendOf(settings, version)
  return [...catalogue.versions.values()].flatMap((other) => {
    if (other === version) return []
    const name = versionKey(other.api, other.version)
    const hasSameDocument = documentsOf(configDir, `apis/${other.api}`, other.version).some(
      (path) => bytes !== undefined && holds(join(configDir, path), bytes),
    )
    if (hasSameDocument) return [`${name} already has the same document`]
    const isTwin =
      // The next version of an API often has the same operations.
      other.api !== version.api &&
      version.operations.length > 0 &&
      other.operations.length === version.operations.length &&
      backendOf(settings, other) === backend &&
      operationsOf(other) === operations
    return isTwin ? [`${name} already has the same operations at the same backend`] : []
  })
}

/** Whether a file has these octets. */
function holds(file: string, bytes: Buffer): boolean {
  return statSync(file).size === bytes.length && readFileSync(file).equals(bytes)
}

function operationsOf({ operations }: ApiVersion): string {
  return operations
    .map(({ method, template }) => `${method} ${template}`)
    .sort()
    .join('\n')
}
