import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { nodeFileTrace } from '@vercel/nft'
import { lockedPackages } from './lock-file.ts'
import { isLicenceFile } from './notice.ts'

/** What the program asks for by a name that no tool can follow. */
const namedAtRunTime = [
  'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  'node_modules/@fontsource-variable/heebo/files/heebo-hebrew-wght-normal.woff2',
]

export interface BundleOptions {
  /** Absolute; its node_modules are as its lock file says. */
  readonly repository: string
  /** Absolute, below `repository`; its src holds the transpiled program. */
  readonly folder: string
  /** Files below `folder` with which a process or thread begins. */
  readonly entries: readonly string[]
}

/**
 * Copies the packages that the program needs into `folder`, with their files
 * that it can load, their manifests and their licences. Source maps, types,
 * builds for browsers and the like stay behind: 32 of 98 MB remain. Packages of
 * which nothing is loaded come as manifests, so that npm misses none.
 *
 * @throws if a package is installed in another version than the lock file says
 */
export async function bundlePackages(options: BundleOptions): Promise<void> {
  const { repository, folder, entries } = options
  const program = relative(repository, join(folder, 'src'))
  const { fileList } = await nodeFileTrace(
    entries.map((entry) => join(folder, entry)),
    {
      base: repository,
      // Node's own, besides those of imports and requires.
      conditions: ['node', 'module-sync'],
      // A name such as "data" in the program is taken for a folder to bring along, with the sockets of a gateway that runs.
      ignore: (path) => !path.startsWith('node_modules/') && !path.startsWith(`${program}/`),
    },
  )
  const packages = bundledPackages(repository)
  const files = [...fileList, ...namedAtRunTime].filter((file) =>
    packages.some((path) => file.startsWith(`${path}/`)),
  )
  for (const path of packages) {
    for (const name of await readdir(join(repository, path))) {
      if (isLicenceFile(name)) files.push(`${path}/${name}`)
    }
  }
  for (const file of new Set(files)) {
    const target = join(folder, file)
    await mkdir(dirname(target), { recursive: true })
    await copyFile(join(repository, file), target)
  }
  const locked = lockedPackages(repository)
  for (const path of packages) {
    const version = await copyManifest(join(repository, path), join(folder, path))
    if (version === locked.get(path)?.version) continue
    throw new Error(`${path} is installed as ${version}, not as the lock file says; run "npm ci"`)
  }
}

/**
 * Without the package's own commands, because npm would fetch a package again
 * whose commands are missing; and without its versions of Node, because the
 * launcher chooses the Node, and npm would compare its own.
 *
 * @returns the version
 */
async function copyManifest(from: string, to: string): Promise<string> {
  const text = await readFile(join(from, 'package.json'), 'utf8')
  const { bin: _, engines: __, ...manifest } = JSON.parse(text)
  await mkdir(to, { recursive: true })
  await writeFile(join(to, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return manifest.version
}

/** Paths of the packages that are the same on every platform. */
function bundledPackages(repository: string): string[] {
  return [...lockedPackages(repository)].flatMap(([path, { dev, os }]) =>
    dev === true || os !== undefined || !existsSync(join(repository, path, 'package.json'))
      ? []
      : [path],
  )
}
