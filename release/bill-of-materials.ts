import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { referenceOf, shippedPackages } from './lock-file.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A package that Tollgate ships, on some platform. */
export interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses?: readonly unknown[]
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}

/** CycloneDX 1.5, as far as it is read here. */
export interface BillOfMaterials {
  readonly bomFormat: 'CycloneDX'
  readonly specVersion: string
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/**
 * The packages that a release ships, for all platforms: those of
 * package-lock.json that run, and those in the portal's page. Asks no network.
 *
 * npm makes the list, but `--omit dev` would also leave out packages that
 * development dependencies use as well, such as `jose` (npm 11.19). So npm lists
 * all, and the lock file decides.
 */
export async function billOfMaterials(): Promise<BillOfMaterials> {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--offline'],
    { cwd: root, maxBuffer: 100_000_000 },
  )
  const all = JSON.parse(stdout) as BillOfMaterials
  const shipped = new Set(
    [...shippedPackages(root)].map(([path, locked]) => referenceOf(path, locked)),
  )
  const top = all.metadata.component
  return {
    ...all,
    // npm takes the name of the folder.
    metadata: { ...all.metadata, component: { ...top, name: 'tollgate' } },
    components: all.components
      .filter((component) => shipped.has(component['bom-ref']))
      .map(withoutDevelopment),
    dependencies: all.dependencies
      .filter(({ ref }) => ref === top['bom-ref'] || shipped.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((it) => shipped.has(it)) })),
  }
}

/** npm marks a package by one of its copies, and that one may be for development. */
function withoutDevelopment(component: Component): Component {
  const properties = (component.properties ?? []).filter(
    ({ name }) => name !== 'cdx:npm:package:development',
  )
  return { ...component, properties }
}

// A program: `npm run sbom` writes the file.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = join(root, 'dist', 'sbom.cdx.json')
  mkdirSync(join(root, 'dist'), { recursive: true })
  const bill = await billOfMaterials()
  writeFileSync(path, `${JSON.stringify(bill, null, 2)}\n`)
  process.stdout.write(`dist/sbom.cdx.json: ${bill.components.length} packages\n`)
}
