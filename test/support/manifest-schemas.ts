import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Manifest } from './kustomize.ts'

// Not bin/tsc: tap's loader cannot run a module without extension.
const compiler = resolve('node_modules/typescript/lib/tsc.js')

/** Packages with the kinds of each group of Kubernetes that is not its own. */
const packages: Readonly<Record<string, string>> = {
  'gateway.networking.k8s.io/v1': '@kubernetes-models/gateway-api',
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator',
}

/** The module of a kind: its class is named after it, and its type `I…`. */
function moduleOf({ apiVersion, kind }: Manifest): string {
  return `${packages[apiVersion] ?? 'kubernetes-models'}/${apiVersion}/${kind}`
}

/** What the schema of its kind finds wrong with an object. Schemas allow unknown fields: see {@link unknownFields}. */
export async function schemaProblem(manifest: Manifest): Promise<string | undefined> {
  // Parse boundary: a generated module.
  const models = (await import(moduleOf(manifest))) as Record<
    string,
    new (
      data: Manifest,
    ) => { validate(): void }
  >
  const Model = models[manifest.kind]
  if (Model === undefined) throw new Error(`${moduleOf(manifest)} has no schema`)
  try {
    new Model(manifest).validate()
    return undefined
  } catch (error) {
    return `${manifest.kind} ${manifest.metadata.name}: ${error instanceof Error ? error.message : error}`
  }
}

/**
 * What the compiler finds wrong with objects that are written down as literals
 * of the types of their kinds: fields that do not exist, and values of another
 * type or not among those allowed. The cluster would drop or refuse these.
 */
export function unknownFields(manifests: readonly Manifest[]): string[] {
  mkdirSync('node_modules/.cache', { recursive: true })
  // In the project, where the packages are found.
  const folder = mkdtempSync(resolve('node_modules/.cache/manifests-'))
  try {
    const lines = manifests.map((manifest, index) => {
      return `import type { I${manifest.kind} as T${index} } from '${moduleOf(manifest)}'
export const one${index}: T${index} = ${JSON.stringify(manifest)}`
    })
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'))
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      types: [],
      skipLibCheck: true,
    }
    const tsconfig = { compilerOptions, files: ['manifests.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
    execFileSync(process.execPath, [compiler, '-p', folder], { stdio: 'pipe', encoding: 'utf8' })
    return []
  } catch (error) {
    // Parse boundary: Node's own error, with what the compiler wrote.
    const { stdout = '' } = error as { stdout?: string }
    if (stdout === '') throw error
    return stdout.trim().split('\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
